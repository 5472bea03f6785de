// index_view.ts - the index that searches read: what it is where there is none, making it with its progress, and a
// hint where clips came since.
import { useEffect, useRef } from 'preact/hooks'
import { plural } from '../actions'
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
    if (job.state === 'failed') tell(job.error?.message ?? 'The index could not be made.', 'error')
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
      ${known ? `${Math.floor((100 * job.done) / job.total)} %` : 'starting'}
      ${left >= 0 && html`<span class="dim"> · ${timeText(left)} left</span>`}
    </span>
    <${Button} title="What is done so far stays" onClick=${() => void cancelJob(job.job)}>Cancel<//>
  </div>`
}

function IndexButton({ text, kind = 'primary' }: { text: string; kind?: string }) {
  if (!useWritable()) return html`<span class="dim">The library is open for reading only.</span>`
  return html`<${Button} icon="search" kind=${kind} onClick=${makeIndex}>${text}<//>`
}

/** In the place of everything else while nothing can be found. */
export function NoIndex() {
  const job = useIndexing()
  const cards = useStore((state) => state.cards)
  const minutes = cards.reduce((sum, { seconds }) => sum + seconds, 0) / 60
  return html`<div class="index-missing">
    <h3>Find every movement that is like this one</h3>
    <p>
      For that, marey compares every clip with every other once and keeps what is alike in the library. Afterwards each
      search takes milliseconds. It has to be done once; new clips are added to it later.
    </p>
    <p class="dim">
      ${plural(cards.length, 'clip')}, ${minutes.toFixed(1)} minutes of motion. You can go on working meanwhile, and
      cancel: what is done so far stays.
    </p>
    ${job ? html`<${Progress} job=${job} />` : html`<${IndexButton} text="Index this library" />`}
  </div>`
}

/** Clips came since. */
export function IndexHint() {
  useChanges(searching)
  const job = useIndexing()
  const missing = searching.answer?.clips_missing ?? 0
  const behind = (searching.index?.pairs_missing ?? 0) > 0
  if (job) return html`<div class="index-hint boxed flex-row"><${Progress} job=${job} /></div>`
  if (searching.wantsIndex && searching.error) {
    return html`<div class="index-hint boxed flex-row"><${IndexButton} text="Index again" /></div>`
  }
  if (!behind && !missing) return null
  return html`<div class="index-hint boxed flex-row">
    <span>
      <${Icon} name="warning" />${missing ? plural(missing, 'clip') : 'Clips'} came since and cannot be found yet.
    </span>
    <${IndexButton} text="Index them" kind="" />
  </div>`
}
