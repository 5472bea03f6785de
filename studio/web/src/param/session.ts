// session.ts - the family that is on the page: what it can do, what is wanted of it, and the motion that does it. One
// request is on its way at a time, and the last input wins, so the motion follows what is dragged.
import { api, ApiError } from '../api'
import type { AskBody, BuiltFamily, Clip, Family, FamilyRow, FeatureTable, LeftOut } from '../api'
import { attempt } from '../attempt'
import { perPicture } from '../changes'
import { undoOf } from '../history'
import { fitsText } from '../making/fits'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made } from '../making/made'
import { leaveMade, nameFor, Session, showMade } from '../making/session'
import { act, lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, getState, tell, type Shown } from '../store'
import { t } from '../words/words'
import { bodyOf, commandOf, middleOf, spotsOf, tidy, type Material } from './param_data'
import { broughtToZero, exampleShown, factsOf, targetsOf, timeFor, type Answer, type TimeFor } from './showing'

const ids = { made: -21 }

class Parameters extends Session {
  /** Null: not known yet. */
  families: FamilyRow[] | null = null
  table: FeatureTable | null = null
  /** What a family can be built of; null: nothing was chosen. */
  material: Material | null = null
  /** The form for a new one is open. */
  building = false
  family: Family | null = null
  /** What was odd when it was built, here and now. */
  built: BuiltFamily | null = null
  at: number[] = []
  clean = true
  /** The nearest example is shown with it. */
  comparing = false
  /** The feature whose places are in the view; -1: none tells places. */
  spot = -1
  private like: Clip | null = null
  private readonly asking = new Latest<AskBody, Made>(
    async (body) => readMade(await api.askFamily(body)),
    (made, _, last) => void this.take(made, last),
    this.fail,
  )

  get busy(): boolean {
    return this.asking.busy
  }

  get body(): AskBody {
    return { family: this.family!.name, at: this.at, ...(!this.clean && { no_clean: true }) }
  }

  get asked(): Answer | null {
    return this.made ? factsOf(this.made) : null
  }

  // Families

  /** With material for a new one the form is open; otherwise the last family, or the only one. */
  async enter(material: Material | null): Promise<void> {
    this.material = material
    this.building = material !== null
    this.error = ''
    this.tell()
    await this.load()
    const name = this.family?.name ?? this.families?.[0]?.name
    if (!this.building && name !== undefined) await this.open(name)
    else if (!this.building) this.building = true
    this.tell()
  }

  /** What the library keeps, and once the table of features. */
  async load(): Promise<void> {
    await this.trying(async () => {
      this.table ??= await api.features()
      this.families = (await api.families()).spaces
    })
  }

  async open(name: string): Promise<void> {
    await this.during(t`Opening ${name}…`, async () => {
      const family = await api.family(name)
      this.built = null
      await this.put(family)
    })
  }

  /** What is wanted stays if the family is the same. */
  private async put(family: Family): Promise<void> {
    const same = this.family?.name === family.name && this.at.length === family.axes.length
    this.like = await api.clip(family.skeleton.id)
    this.asking.forget()
    this.family = family
    this.building = false
    this.made = this.kept = null
    this.error = ''
    this.spot = spotsOf(family)[0] ?? -1
    this.at = (same ? this.at : middleOf(family)).map((value, i) => tidy(family.axes[i]!, value))
    player.set({ playing: false })
    this.remake()
  }

  async build(name: string, features: string[], through = this.material?.through ?? []): Promise<boolean> {
    if (!this.material) return false
    const material = (this.material = { ...this.material, through })
    this.busyWith = t`Building ${name}…`
    this.tell()
    let built: BuiltFamily | null = null
    await attempt(async () => {
      built = await this.ask(material, name, features)
      if (!built) return tell(t`${name} was not built`)
      const { examples, samples } = built
      this.family = null
      await this.put(await api.family(name))
      this.built = built
      tell(t`Family ${name}: ${examples.length} examples, ${samples - examples.length} samples${fitsText(built)}`, 'info', undoOf(built))
      void this.load()
    })
    this.busyWith = ''
    this.tell()
    return built !== null
  }

  /** The server remembers few searches. Of one that it forgot the parts are known, and aligned anew. */
  private async ask(material: Material, name: string, features: string[]): Promise<BuiltFamily | null> {
    const line = commandOf(material, name, features)
    try {
      const built = await this.runJob<BuiltFamily>(t`Building ${name}…`, () => api.buildFamily(bodyOf(material, name, features)))
      if (built) showCommand(line)
      return built
    } catch (cause) {
      const forgotten = cause instanceof ApiError && cause.http === 0 && cause.status === 'input'
      if (!material.found || !forgotten) throw cause
      return this.ask({ parts: material.parts }, name, features)
    }
  }

  /** Again, with some of what was left out. */
  async buildWith(list: readonly LeftOut[]): Promise<void> {
    const { family, material } = this
    if (!family || !material) return
    const more = list.map(({ id, clip: name, start, end }) => ({ clip: { id, name }, segment: { start, end } }))
    this.material = { ...material, keep: [...(material.keep ?? []), ...more] }
    await this.build(family.name, family.features)
  }

  /** Again, without examples that do not fit. */
  async buildWithout(numbers: ReadonlySet<number>): Promise<void> {
    const { family } = this
    if (!family) return
    const examples = family.examples.filter((_, i) => !numbers.has(i))
    const parts = examples.map(({ id, clip: name, start, end }) => ({ clip: { id, name }, segment: { start, end } }))
    this.material = { parts }
    await this.build(family.name, family.features)
  }

  async remove(name: string): Promise<void> {
    await attempt(async () => {
      const done = await act('param rm', { name })
      tell(t`Removed family ${name}; its examples stay`, 'info', undoOf(done))
      this.asking.forget()
      this.family = this.made = null
      change({ targets: null })
      await this.enter(this.material)
    })
  }

  // What is wanted

  setAt(at: readonly number[]): void {
    this.noteSetting('at')
    this.at = at.map((value, i) => tidy(this.family!.axes[i]!, value))
    this.changed()
  }

  setOne(dim: number, value: number): void {
    this.setAt(this.at.map((each, i) => (i === dim ? value : each)))
  }

  setClean(clean: boolean): void {
    this.noteSetting('clean')
    this.clean = clean
    this.changed()
  }

  setSpot(spot: number): void {
    this.spot = spot
    this.changed()
  }

  setComparing(on: boolean): void {
    this.comparing = on
    if (this.made) void this.show(this.made)
    this.tell()
  }

  /** Of the feature that is in the view, or of the first that has a moment. */
  get moment_s(): number | null {
    const { asked } = this
    const frame = asked?.moments[Math.max(0, this.spot)] ?? null
    return asked && frame !== null ? frame / asked.fps : null
  }

  goToMoment(): void {
    player.set({ playing: false })
    player.seek(this.moment_s ?? 0)
  }

  private noteSetting(key: string): void {
    const { at, clean } = this
    this.setting(key, { at, clean }, () => this.changed())
  }

  private changed(): void {
    this.kept = null
    this.remake()
    this.soon()
  }

  private readonly soon = perPicture(() => {
    if (getState().making !== 'param') return
    this.drawTargets()
    this.tell()
  })

  private remake(): void {
    this.asking.want(this.body)
  }

  private drawTargets(): void {
    const { family, spot, asked, at } = this
    if (!family || spot < 0) return change({ targets: null })
    const targets = targetsOf(family, spot, at, asked, (next) => this.setAt(next))
    change({ targets })
  }

  // What is made

  private async take(made: Made, last: boolean): Promise<void> {
    if (getState().making !== 'param' || !this.family) return
    const time = timeFor(player.now, this.moment_s, this.asked)
    this.made = made
    this.error = ''
    await this.show(made, time)
    if (last) showCommand(lineOf('param make', this.body, { name: nameFor(this.family.name) }))
    this.tell()
  }

  private async show(made: Made, time: TimeFor = () => player.now.time): Promise<void> {
    const { family, like, spot, comparing } = this
    if (!family || !like) return
    const asked = factsOf(made)
    const place = spot >= 0 && family.params[spot]!.from === 'start' ? asked.places[spot] : null
    const moved = place ? { ...made, motion: broughtToZero(made.motion, like, place) } : made
    const shown: Shown[] = [asShownClip(ids.made, family.name, like, moved)]
    if (comparing) shown.push(...(await exampleShown(family, asked, place !== null)))
    if (getState().making !== 'param' || this.made !== made) return
    showMade(shown, time(asked, this.moment_s))
    this.drawTargets()
  }

  async keep(name: string): Promise<boolean> {
    return this.keepAs(name, 'param make', this.body)
  }

  /** The panel is gone. */
  leave(): void {
    this.asking.forget()
    change({ targets: null })
    leaveMade(this.kept ? [this.kept] : this.like ? [this.like] : [])
    this.made = null
    this.comparing = false
  }
}

export const parameters = new Parameters()
