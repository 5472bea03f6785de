// session.ts - the blend that is on the page: its clips, their weights or weights over time, their registration, and what
// the server makes of them. The preview follows what is dragged as fast as it can be made.
import { api, type Aligned, type BlendBody, type Clip, type Registered, type Registration } from '../api'
import { attempt, messageOf } from '../attempt'
import { undoOf } from '../history'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made } from '../making/made'
import { keepMade, leaveMade, nameFor, Session, showMade } from '../making/session'
import { act, lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, getState, tell, type Segment, type Shown } from '../store'
import { t } from '../words/words'
import { normal, rounded, setKey, weightsAtTime, type Key } from './weights'

interface BlendPart {
  clip: Clip
  /** Null: the whole clip. */
  segment: Segment | null
}

export interface Settings {
  method: string
  clean: boolean
  /** The clip where the blend stands, counted from 1; 0: as the program chooses. */
  place: number
  /** At most so many steps in a row along one clip alone. */
  slope: number
  /** Frames of two clips that belong together; null: none. */
  pin: [number, number] | null
  /** Weights over time instead of the same ones all the time. */
  overTime: boolean
  /** Also without held feet, beside the other. */
  twin: boolean
}

interface Answer {
  made: Made
  plain: Made | null
}

const defaultSlope = 2

const ids = { made: -1, plain: -2 }

class Blend extends Session {
  clips: BlendPart[] = []
  /** The kept registration that is used, or null. */
  curve: string | null = null
  weights: number[] = []
  keys: Key[] = []
  /** The key that sliders and the pad change. */
  chosenKey = 0
  settings: Settings = { method: 'registered', clean: true, place: 0, slope: defaultSlope, pin: null, overTime: false, twin: false }
  registration: Registration | null = null
  registrationError = ''
  private readonly preview = new Latest<{ body: BlendBody; twin: boolean }, Answer>(
    async ({ body, twin }) => ({
      made: readMade(await api.blend(body)),
      plain: twin ? readMade(await api.blend({ ...body, no_clean: true })) : null,
    }),
    (answer, _, last) => this.take(answer, last),
    this.fail,
  )
  private readonly registering = new Latest<Registered, Registration>(
    (of) => api.registration(of),
    (registration) => this.takeRegistration(registration),
    (cause) => this.failRegistration(cause),
  )

  get busy(): boolean {
    return this.preview.busy
  }

  /** A kept registration has its own. */
  private get pin(): [number, number] | null {
    return this.curve === null && this.clips.length === 2 ? this.settings.pin : null
  }

  /** Which clips, as the server takes them. */
  private get of(): Aligned {
    if (this.curve !== null) return { curve: this.curve }
    const clips = this.clips.map(({ clip, segment }) => ({ clip: clip.id, ...segment }))
    return { clips, ...(this.settings.slope !== defaultSlope && { slope: this.settings.slope }) }
  }

  get registered(): Registered {
    return { ...this.of, ...(this.pin && { through: this.pin }) }
  }

  get body(): BlendBody {
    const { method, clean, place, overTime } = this.settings
    const through = this.pin && { through: [this.pin.join(',')] }
    const how = overTime ? { weights_file: this.keys.map((key) => [...key]) } : { weights: rounded(normal(this.weights)) }
    return { ...this.of, ...through, ...how, method, no_clean: !clean, ...(place && { place }) }
  }

  /** Seconds of what was made last. */
  get length_s(): number {
    const { made } = this
    return made ? (made.facts.frames - 1) / made.facts.fps : (this.clips[0]?.clip.seconds ?? 1)
  }

  /** The weights that sliders and pad show and change: those of the chosen key, or those of all time. */
  get shownWeights(): number[] {
    return this.settings.overTime ? this.keys[this.chosenKey]!.slice(1) : this.weights
  }

  /** At a frame of what was made. */
  weightsAtFrame(frame: number): number[] {
    const fps = this.made?.facts.fps ?? 30
    return normal(this.settings.overTime ? weightsAtTime(this.keys, frame / fps) : this.weights)
  }

  /** Segments, perhaps several of one clip; with the same clips as before it goes on. */
  enter(parts: BlendPart[]): void {
    const again = ({ clip, segment }: BlendPart, i: number) => segment === null && clip.id === this.clips[i]?.clip.id
    if (parts.length === this.clips.length && parts.every(again) && this.weights.length) return this.begin()
    this.put(parts, null)
  }

  /** Other clips: even shares, and no keys. */
  private put(clips: BlendPart[], curve: string | null): void {
    this.clips = clips
    this.curve = curve
    this.weights = clips.map(() => 1 / clips.length)
    this.settings = { ...this.settings, overTime: false, place: 0, pin: null }
    this.startKeys()
    this.begin()
  }

  private startKeys(): void {
    this.keys = [rounded([0, ...normal(this.weights)])]
    this.chosenKey = 0
  }

  private begin(): void {
    this.preview.forget()
    this.registering.forget()
    this.made = this.kept = this.registration = null
    this.error = this.registrationError = ''
    player.set({ playing: false })
    this.registering.want(this.registered)
    this.remake()
    this.tell()
  }

  add(clip: Clip): void {
    this.put([...this.clips, { clip, segment: null }], null)
  }

  remove(at: number): void {
    this.put(this.clips.filter((_, i) => i !== at), null)
  }

  /** Only these frames of a clip; a kept registration has frames of its own, so it is left. */
  cut(at: number, start: number, end: number): void {
    const { frames } = this.clips[at]!.clip
    this.noteSetting(`frames ${at}`)
    const whole = start <= 0 && end >= frames
    const segment = whole ? null : { start: Math.max(0, start), end: Math.min(frames, Math.max(start + 2, end)) }
    this.clips = this.clips.map((part, i) => (i === at ? { ...part, segment } : part))
    this.curve = null
    this.kept = null
    this.registering.want(this.registered)
    this.remake()
    this.tell()
  }

  /** Of the chosen key, or of all time. */
  setWeights(weights: readonly number[]): void {
    this.noteSetting('weights')
    if (this.settings.overTime) this.keys = setKey(this.keys, this.chosenKey, weights)
    else this.weights = [...weights]
    this.changed()
  }

  setKeys(keys: Key[], chosen = this.chosenKey): void {
    this.noteSetting('keys')
    this.keys = keys
    this.chosenKey = Math.max(0, Math.min(keys.length - 1, chosen))
    this.changed()
  }

  chooseKey(at: number): void {
    this.chosenKey = at
    this.tell()
  }

  /** From weights to keys: one at the start that has them. Back: the weights are the chosen key's. */
  set(fields: Partial<Settings>): void {
    const before = this.settings
    this.noteSetting(Object.keys(fields).join())
    this.settings = { ...before, ...fields }
    if (this.settings.overTime && !before.overTime && this.keys.length < 2) this.startKeys()
    if (!this.settings.overTime && before.overTime) this.weights = this.keys[this.chosenKey]!.slice(1)
    const { slope, pin } = this.settings
    if (slope !== before.slope || pin !== before.pin) this.registering.want(this.registered)
    this.changed()
  }

  private noteSetting(key: string): void {
    const { clips, curve, weights, keys, chosenKey, settings } = this
    this.setting(key, { clips, curve, weights, keys, chosenKey, settings }, () => {
      this.registering.want(this.registered)
      this.changed()
    })
  }

  private changed(): void {
    this.kept = null
    this.remake()
    this.tell()
  }

  private remake(): void {
    this.preview.want({ body: this.body, twin: this.settings.twin })
  }

  private take({ made, plain }: Answer, last: boolean): void {
    if (getState().making !== 'blend') return
    const length = this.length_s
    const share = this.made && length > 0 ? player.now.time / length : 0
    this.made = made
    this.error = ''
    const like = this.clips[0]!.clip
    const shown: Shown[] = [asShownClip(ids.made, plain ? t('feet held') : t('blend'), like, made)]
    if (plain) shown.push(asShownClip(ids.plain, t('before'), like, plain))
    showMade(shown, share * this.length_s)
    if (last) showCommand(lineOf('blend', this.body, { name: nameFor(this.newName) }))
    this.tell()
  }

  private takeRegistration(registration: Registration): void {
    this.registration = registration
    this.registrationError = ''
    this.tell()
  }

  private failRegistration(cause: unknown): void {
    this.registration = null
    this.registrationError = messageOf(cause)
    this.tell()
  }

  get newName(): string {
    if (this.curve !== null) return this.curve
    const [first, ...others] = this.clips.map(({ clip }) => clip.name)
    return others.length > 2 ? `${first}-blend` : [first, ...others].join('-')
  }

  async keep(name: string): Promise<boolean> {
    const clip = await keepMade('blend', this.body, name)
    if (!clip) return false
    if (getState().making !== 'blend') return true
    this.kept = clip
    showMade([{ clip, alignFrame: 0 }, ...getState().shown.slice(1)], player.now.time)
    this.tell()
    return true
  }

  // Kept registrations

  async keepCurve(name: string): Promise<boolean> {
    return attempt(async () => {
      const done = await act<Registration>('align', { ...this.registered, save: name })
      this.takeRegistration(done)
      tell(t`Alignment saved as ${name}`, 'info', undoOf(done))
      this.curve = name
      this.tell()
    })
  }

  async openCurve(name: string): Promise<void> {
    await attempt(async () => {
      const registration = await api.registration({ curve: name })
      const clips = await Promise.all(registration.clips.map(({ id }) => api.clip(id)))
      const segmentOf = ({ start, end }: Segment, frames: number) =>
        start <= 0 && end >= frames ? null : { start, end }
      const parts = clips.map((clip, i) => ({ clip, segment: segmentOf(registration.clips[i]!, clip.frames) }))
      this.put(parts, name)
    })
  }

  async removeCurve(name: string): Promise<boolean> {
    return attempt(async () => {
      const done = await act('curves', { rm: name })
      tell(t`Removed alignment ${name}`, 'info', undoOf(done))
      if (this.curve === name) this.curve = null
      this.tell()
    })
  }

  /** The panel is gone. */
  leave(): void {
    this.preview.forget()
    this.registering.forget()
    leaveMade(this.kept ? [this.kept] : this.clips.map(({ clip }) => clip))
    if (getState().arrangement === 'side') change({ arrangement: 'overlaid' })
  }
}

export const blend = new Blend()
