// readout.ts - the pair of frames in numbers: where it is, how far apart the poses are, which joints and which frames of
// the window make the distance, and how good the shown pairs are for a transition.
import type { Cell, Clip } from '../api'
import { useChanges } from '../changes'
import { html } from '../html'
import type { Compare } from '../store'
import { plural, t } from '../words/words'
import { comparison } from './session'
import { PairChoice } from './settings'

const mostJoints = 8

/** "12.3", "0.0456", "1.2e+9": three digits are enough to compare by eye. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(1)
  return size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}

/** Squared distances as lengths. */
export function lengthText(distance: number, unit: string): string {
  return unit === 'cm2' ? `${shortNumber(Math.sqrt(Math.max(0, distance)))} cm` : shortNumber(distance)
}

interface Share {
  name: string
  share: number
}

/** The largest ones, and what is left over in one row. */
function topShares(shares: readonly Share[], rest: number, most = mostJoints): Share[] {
  const sorted = shares.filter(({ share }) => share !== 0).sort((x, y) => Math.abs(y.share) - Math.abs(x.share))
  const others = sorted.slice(most).reduce((sum, { share }) => sum + share, 0)
  return [
    ...sorted.slice(0, most),
    ...(others === 0 ? [] : [{ name: plural(sorted.length - most, 'more joint'), share: others }]),
    ...(rest === 0 ? [] : [{ name: t('of no joint'), share: rest }]),
  ]
}

/** "left_knee", "LeftUpLeg" for people. */
function readable(name: string): string {
  return name.replaceAll('_', ' ')
}

function percent(share: number, whole: number): number {
  return whole === 0 ? 0 : Math.max(0, Math.min(100, (100 * Math.abs(share)) / Math.abs(whole)))
}

function Bar({ name, share, whole, widest }: Share & { whole: number; widest: number }) {
  const part = percent(share, whole)
  return html`<li>
    <span class="name" title=${name}>${readable(name)}</span>
    <span class="bar" aria-hidden="true"><i style=${{ width: `${percent(share, widest)}%` }}></i></span>
    <span class="number">${part.toFixed(0)} %</span>
  </li>`
}

function Joints({ cell }: { cell: Cell }) {
  const rows = topShares(cell.joints, cell.rest)
  const whole = rows.reduce((sum, { share }) => sum + Math.abs(share), 0)
  const widest = rows.reduce((most, { share }) => Math.max(most, Math.abs(share)), 0)
  return html`<div class="compare-part">
    <h3>By joint</h3>
    <ul class="compare-bars" aria-label="Shares of the joints">
      ${rows.map((row) => html`<${Bar} key=${row.name} ...${row} whole=${whole} widest=${widest} />`)}
    </ul>
  </div>`
}

/** Frames of the window count from the pair's own; an even window has one more behind than before. */
function Window({ cell }: { cell: Cell }) {
  const { frames } = cell
  if (frames.length < 2) return null
  const most = frames.reduce((high, each) => Math.max(high, Math.abs(each)), 0)
  const first = -Math.floor((frames.length - 1) / 2)
  return html`<div class="compare-part">
    <h3>By frame of the window</h3>
    <ul class="compare-columns" aria-label="Shares of the frames of the window">
      ${frames.map((share, i) => {
        const at = first + i
        const text = `${at > 0 ? '+' : ''}${at}`
        return html`<li key=${i} title=${t`frame ${text}: ${shortNumber(share)}`}>
          <span class="column" aria-hidden="true"><i style=${{ height: `${percent(share, most)}%` }}></i></span>
          <span>${text.replace('-', '−')}<span class="visually-hidden">: ${shortNumber(share)}</span></span>
        </li>`
      })}
    </ul>
  </div>`
}

function Where({ clips, cell }: { clips: [Clip, Clip]; cell: Cell | null }) {
  const at = comparison.frames
  if (!at) return null
  const rooted = cell?.unit === 'cm2'
  return html`<dl class="compare-where">
    ${clips.map(
      (clip, i) => html`<div key=${i}>
        <dt title=${clip.name}>${clip.name}</dt>
        <dd>frame ${at[i]} <span class="dim">${(at[i] / clip.fps).toFixed(2)} s</span></dd>
      </div>`,
    )}
    <div>
      <dt>Distance</dt>
      <dd>
        ${cell ? shortNumber(rooted ? Math.sqrt(Math.max(0, cell.value)) : cell.value) : '…'}${rooted && ' cm'}${' '}
        ${rooted && cell && html`<span class="dim">${shortNumber(cell.value)} cm²</span>`}
      </dd>
    </div>
  </dl>`
}

/** Which pairs are shown as dots, and how well cuts there would go. */
export function PairsBar({ how }: { how: Compare }) {
  useChanges(comparison)
  const { pairs } = comparison
  const terms: [string, number | null, string][] = pairs
    ? [
        [t('Position error'), pairs.Dp, 'cm'],
        [t('velocity'), pairs.Dv, '(cm/s)²'],
        [t('acceleration'), pairs.Da, '(cm/s²)²'],
      ]
    : []
  return html`<div class="compare-pairs flex-row">
    <${PairChoice} how=${how} />
    ${pairs?.pairs.length === 0 && html`<span class="dim">no such pair</span>`}
    <dl class="compare-where" title="How well a cut would go there: means over the pairs that are shown">
      ${terms.map(
        ([name, value, unit]) =>
          value !== null && html`<div key=${name}><dt>${name}</dt><dd>${shortNumber(value)} ${unit}</dd></div>`,
      )}
    </dl>
  </div>`
}

export function Readout({ clips }: { clips: [Clip, Clip] }) {
  useChanges(comparison)
  const { cell, pairs } = comparison
  return html`<section class="compare-readout" aria-label="The pair of frames" tabindex="0">
    <${Where} clips=${clips} cell=${cell} />
    ${cell && html`<div class="compare-parts"><${Joints} cell=${cell} /><${Window} cell=${cell} /></div>`}
    ${pairs?.by_roles && html`<p class="dim">Their joints differ, so the roles that both have are compared.</p>`}
  </section>`
}
