// session.ts - the search that is on the page: its query, which follows the marked segment, the threshold, what was
// found so far, and which matches are ticked or chosen. The first tier follows the slider; when it rests further ones
// are asked for, if more are wanted and until there is nothing new.
import { api, ApiError } from '../api'
import type { Clip, EdgePath, IndexState, Match, SearchAnswer, SearchBody } from '../api'
import { playByItself } from '../motion'
import { Latest } from '../making/latest'
import { Session } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { getState, type Segment } from '../store'
import { markSegment } from '../timeline/segment'
import { t } from '../words/words'
import { defaults, edgeOf, fieldsOf, judged, overlapping, stepsOf } from './match_data'
import type { Settings, Spot, Step, Verdict } from './match_data'
import { showMatches, showQueryAlone, type Watch } from './showing'

/** The slider rests, or the segment is not dragged any more. */
const rest_ms = 220
const forgotten = 404
/** Where nothing says how far one can look. */
const plainCeiling = 1000

export interface Query {
  clip: Clip
  start: number
  end: number
}

interface Question {
  body: SearchBody
  tiers: number
}

export class Search extends Session {
  query: Query | null = null
  settings: Settings = defaults
  /** Null: not known yet. */
  index: IndexState | null = null
  answer: SearchAnswer | null = null
  steps: (Step | null)[] = []
  /** Distances of all that the first tier has below the ceiling. */
  spread: number[] = []
  /** Nothing more is to be found at this threshold. */
  complete = false
  watch: Watch = 'one'
  private unticked: Spot[] = []
  private chosenSpot: Spot | null = null
  private timer = 0
  /** Tiers that the answer was asked for. */
  private depth = 1
  private command: string | null = null
  private edges = new Map<number, Promise<EdgePath>>()
  private reminding: Promise<void> | null = null
  private readonly finding = new Latest<Question, SearchAnswer>(
    ({ body, tiers }) => api.find({ ...body, tiers }),
    (answer, { tiers }, last) => this.take(answer, tiers, last),
    (cause) => this.lose(cause),
  )
  private readonly spreading = new Latest<SearchBody, SearchAnswer>(
    (body) => api.find(body),
    (answer) => this.takeSpread(answer),
    () => undefined,
  )

  get busy(): boolean {
    return this.finding.busy || (this.answer !== null && !this.complete && this.error === '')
  }

  get matches(): Match[] {
    return this.answer?.matches ?? []
  }

  /** Distances are squared lengths. */
  get squared(): boolean {
    return !this.settings.web || (this.index?.unit ?? 'cm2') === 'cm2'
  }

  /** The end of the threshold's scale. By poses it is well beyond what is no better than standing still. */
  get ceiling(): number {
    const { answer, index, settings } = this
    if (settings.web) return index?.ceiling ?? plainCeiling
    return Math.max(2 * (answer?.still_cost ?? plainCeiling / 2), this.threshold)
  }

  /** 0: not known yet. */
  get threshold(): number {
    return this.asked.threshold || (this.answer?.threshold ?? 0)
  }

  /** The query chooses the threshold. */
  get byQuery(): boolean {
    const { threshold, nearest, web } = this.settings
    return !threshold && !nearest && !web
  }

  /** Some metrics of webs have no threshold of their own. */
  get asked(): Settings {
    const { settings, index } = this
    if (settings.threshold || !settings.web || index?.threshold !== null) return settings
    return { ...settings, threshold: (index.ceiling ?? plainCeiling) / 10 }
  }

  get body(): SearchBody {
    const { clip, start, end } = this.query!
    return { query: { clip: clip.id, start, end }, ...fieldsOf(this.asked) }
  }

  // What is looked for

  enter(clip: Clip, segment: Segment): void {
    this.setQuery({ clip, ...segment })
    void this.load()
  }

  /** Another query: what was said of matches, unticked or chosen belonged to the last one. */
  setQuery(query: Query): void {
    const { query: now } = this
    if (now?.clip.id === query.clip.id && now.start === query.start && now.end === query.end) return
    this.query = query
    this.settings = { ...this.settings, like: [], unlike: [] }
    this.unticked = []
    this.chosenSpot = null
    this.spread = []
    this.find()
  }

  set(fields: Partial<Settings>): void {
    const { threshold, nearest, limit, tiers, ...wider } = fields
    if (Object.keys(wider).length) this.spread = []
    // One of both says how far to look, and by another measure distances are others.
    if (nearest || fields.web !== undefined) this.settings = { ...this.settings, threshold: 0 }
    if (threshold) this.settings = { ...this.settings, nearest: 0 }
    this.settings = { ...this.settings, ...fields }
    this.find()
  }

  /** What there is to search; other clips may be found now. */
  async load(): Promise<void> {
    await this.trying(async () => {
      const before = this.index
      this.index = await api.index()
      const { web, clips, pairs_missing: missing = 0 } = this.index
      if (this.settings.web && !web) return this.set({ web: false })
      const other = before && (before.clips !== clips || (before.pairs_missing ?? 0) > missing)
      if (other && getState().making === 'search') this.find()
    })
  }

  // Finding

  private find(): void {
    clearTimeout(this.timer)
    if (!this.query) return this.tell()
    this.complete = false
    this.finding.want({ body: this.body, tiers: 1 })
    this.timer = window.setTimeout(() => this.goOn(1), rest_ms)
    this.tell()
  }

  /** The slider rests: deeper, unless the first tier is still on its way. */
  private goOn(asked: number): void {
    this.timer = 0
    if (!this.finding.busy && this.answer && !this.complete) this.deepen(asked)
  }

  /** A search that chooses its threshold knows by itself how far to go on. */
  private get deepest(): number {
    const { tiers, threshold, nearest, web } = this.settings
    return tiers || (threshold || nearest || web ? 1 : Infinity)
  }

  private deepen(asked: number): void {
    this.finding.want({ body: this.body, tiers: Math.min(2 * asked, this.deepest) })
  }

  private take(answer: SearchAnswer, asked: number, last: boolean): void {
    this.answer = answer
    this.depth = asked
    this.steps = stepsOf(answer)
    this.edges.clear()
    this.error = ''
    this.complete = last && !answer.stopped && (answer.tiers < asked || answer.limited || asked >= this.deepest)
    if (last && !this.complete && !this.timer) this.deepen(answer.stopped ? asked / 2 : asked)
    if (this.complete) this.settle()
    else if (this.watch === 'one') void this.show()
    this.tell()
  }

  /** All is there. */
  private settle(): void {
    const command = this.query && lineOf('search', this.body)
    // The same search again, since clips came, is nothing that anybody did.
    if (command && command !== this.command) showCommand(command)
    this.command = command
    void this.show()
    if (this.spread.length === 0 && this.query && (!this.settings.web || this.index?.ceiling)) {
      const { nearest: _, ...body } = this.body
      this.spreading.want({ ...body, threshold: this.ceiling, tiers: 1 })
    }
  }

  private takeSpread({ matches }: SearchAnswer): void {
    this.spread = matches.slice(1).map(({ distance }) => distance)
    this.tell()
  }

  private lose(cause: unknown): void {
    this.answer = null
    this.fail(cause)
  }

  /** The alignment of an edge of what is shown; asked for once. */
  edge(number: number): Promise<EdgePath> {
    const { answer, edges } = this
    if (!answer) return Promise.reject(new Error(t('nothing was found')))
    const before = edges.get(number)
    if (before) return before
    const asked = api.searchEdge(answer.search, number).catch(async (cause) => {
      if (!(cause instanceof ApiError) || cause.http !== forgotten) throw cause
      await this.remind(answer)
      return api.searchEdge(answer.search, number)
    })
    edges.set(number, asked)
    asked.catch(() => edges.delete(number))
    return asked
  }

  /** The server remembers a few searches of all clients. The same one again finds the same. */
  private remind(answer: SearchAnswer): Promise<void> {
    this.reminding ??= api
      .find({ ...this.body, tiers: this.depth })
      .then((again) => {
        if (again.edges.length === answer.edges.length) answer.search = again.search
      })
      .finally(() => (this.reminding = null))
    return this.reminding
  }

  // Matches

  verdictOn(match: Spot): Verdict | null {
    const { like, unlike } = this.settings
    return overlapping(like, match) ? 'like' : overlapping(unlike, match) ? 'unlike' : null
  }

  /** What is meant, or not: all matches are ranked anew. */
  judge(match: Spot, verdict: Verdict | null): void {
    this.set(judged(this.settings, match, verdict))
  }

  isTicked(match: Match): boolean {
    return !overlapping(this.unticked, match)
  }

  /** The query itself is among them. */
  get ticked(): Match[] {
    return this.matches.filter((match) => this.isTicked(match))
  }

  tick(match: Match, on: boolean): void {
    this.unticked = this.unticked.filter((spot) => !overlapping([spot], match))
    if (!on) this.unticked = [...this.unticked, match]
    this.ticksChanged()
  }

  tickAll(on: boolean): void {
    this.unticked = on ? [] : [...this.matches]
    this.ticksChanged()
  }

  private ticksChanged(): void {
    if (this.watch !== 'one') void this.show()
    this.tell()
  }

  /** Its number, or -1. */
  get chosen(): number {
    const { chosenSpot } = this
    return chosenSpot ? this.matches.findIndex((match) => overlapping([chosenSpot], match)) : -1
  }

  /** The edge that is looked at with the chosen match, or -1. */
  get chosenEdge(): number {
    const { answer, steps, chosen } = this
    return answer && chosen > 0 ? edgeOf(answer, steps, chosen) : -1
  }

  choose(number: number): void {
    this.chosenSpot = this.matches[number] ?? null
    if (this.watch === 'one') void this.show()
    this.tell()
  }

  setWatch(watch: Watch): void {
    const { query } = this
    this.watch = watch
    if (watch !== 'one' && query) {
      if (!getState().segment) markSegment(query.start, query.end)
      playByItself()
    }
    void this.show()
    this.tell()
  }

  private show(): Promise<void> {
    return showMatches(this)
  }

  /** The panel is gone; the query's clip stays open. */
  leave(): void {
    clearTimeout(this.timer)
    this.timer = 0
    this.finding.forget()
    this.spreading.forget()
    this.watch = 'one'
    this.chosenSpot = null
    this.query = this.answer = this.command = null
    this.error = ''
    this.complete = false
    showQueryAlone()
  }
}

export const searching = new Search()
