// family_fields.ts - the numbers of a family as fields: named and limited as the family says.
import type { Axis, Family } from '../api'
import { NumberField } from '../controls'
import { html } from '../html'
import { dimTitle, numberText, rangeOf, tidy } from '../param/param_data'
import { t } from '../words/words'

interface Props {
  family: Family
  values: readonly number[]
  set: (values: number[]) => void
  disabled?: boolean
}

/** So many steps of a field's arrows are its range. */
const steps = 50

/** A step that is 1, 2 or 5 of something. */
function stepOf(span: number): number {
  const ten = 10 ** Math.floor(Math.log10(span / steps || 1))
  return Number((ten * ([1, 2, 5].find((each) => each * ten >= span / steps) ?? 10)).toPrecision(1))
}

/** Its arrows go over round numbers, from beyond what can be reached to beyond it. */
function limitsOf(axis: Axis): { least: number; most: number; step: number } {
  const { least, greatest } = rangeOf(axis)
  const step = stepOf(greatest - least)
  const round = (count: number) => Number((count * step).toPrecision(12))
  return { least: round(Math.floor(least / step)), most: round(Math.ceil(greatest / step)), step }
}

export function FamilyNumbers({ family, values, set, disabled = false }: Props) {
  return html`${family.axes.map((axis, i) => {
    const { least, most, step } = limitsOf(axis)
    const title = dimTitle(family, i)
    const about = t`${title}: from ${numberText(axis.least)} to ${numberText(axis.greatest)} ${axis.unit} can be reached`
    return html`<${NumberField}
      key=${axis.name} name=${title} about=${about} value=${values[i]!} least=${least} most=${most} step=${step}
      disabled=${disabled}
      set=${(value: number) => set(values.map((each, k) => (k === i ? tidy(axis, value) : each)))}
    ><span class="dim">${axis.unit}</span><//>`
  })}`
}
