// index_view.ts - the index that searches read: a hint where it lacks clips, and making it with its progress.
import { useEffect, useRef } from 'preact/hooks'
import { api, type Job } from '../api'
import { attempt } from '../attempt'
import { useChanges } from '../changes'
import { Button, useWritable } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { cancelJob, finished, isGoing, shareOf } from '../jobs'
import { noteJob } from '../live'
import { act } from '../operations'
import { tell, useStore } from '../store'
import { plural, t } from '../words/words'
import { timeText } from './match_data'
import { searching } from './session'

/** The newest one, of any client. */
function useIndexing(): Job | undefined {
  const job = useStore(({ jobs }) => [...jobs.values()].filter(({ kind }) => kind === 'index').pop())
  const before = useRef(job)
  useEffect(() => {
    const ended = job && !isGoing(job) && before.current && isGoing(before.current)
    before.current = job
    if (!ended) return
    if (job.state === 'failed') tell(job.error?.message ?? t('The index could not be made.'), 'error')
    void searching.load()
  }, [job])
  const going = job && isGoing(job) ? job : undefined
  useEffect(() => {
    if (going) void finished(going.job).catch(() => undefined)
  }, [going?.job])
  return going
}

function makeIndex(): void {
  void attempt(async () => {
    const { job } = await act<{ job: number }>('index', {})
    noteJob(await api.job(job))
  })
}

function Progress({ job }: { job: Job }) {
  const known = job.total > 0
  const left = job.seconds_left ?? -1
  return html`<div class="index-progress flex-row">
    <progress aria-label="Indexing" ...${shareOf(job)}></progress>
    <span role="status">
      ${known ? `${Math.floor((100 * job.done) / job.total)} %` : t('starting')}
      ${left >= 0 && html`<span class="dim"> · ${timeText(left)} left</span>`}
    </span>
    <${Button} title="What is done so far stays" onClick=${() => void cancelJob(job.job)}>Cancel<//>
  </div>`
}

/** Clips came since the webs were made, or came from an earlier marey, which kept no poses. */
export function IndexHint() {
  useChanges(searching)
  const job = useIndexing()
  const writable = useWritable()
  const { answer, index, settings } = searching
  const missing = answer?.clips_missing ?? 0
  const behind = settings.web && (missing > 0 || (index?.pairs_missing ?? 0) > 0)
  const slow = index?.clips_missing ?? 0
  if (job) return html`<div class="index-hint boxed flex-row"><${Progress} job=${job} /></div>`
  if (!behind && !slow) return null
  return html`<div class="index-hint boxed flex-row">
    <span>
      <${Icon} name="warning" />
      ${behind
        ? t`${missing ? plural(missing, 'clip') : t('Clips')} came since and are not found yet.`
        : t`${plural(slow, 'clip')} not indexed: every search takes longer.`}
    </span>
    ${writable
      ? html`<${Button} icon="search" onClick=${makeIndex}>Index them<//>`
      : html`<span class="dim">The library is open for reading only.</span>`}
  </div>`
}
