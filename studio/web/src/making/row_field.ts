// row_field.ts - a field for one parameter of an operation, made of the row that the server lists: its limits, unit and help are said
// once, there.
import { NumberField } from '../controls'
import { html } from '../html'
import { rowOf } from '../operations'
import { useStore } from '../store'

interface RowNumberProps {
  operation: string
  /** The parameter's name, and what the field is called. */
  row: string
  name: string
  value: number
  step: number
  set: (value: number) => void
}

/** Nothing while the server's list is not there. */
export function RowNumber({ operation, row: parameter, name, value, step, set }: RowNumberProps) {
  useStore((state) => state.operations)
  const row = rowOf(operation, parameter)
  if (!row) return null
  return html`<${NumberField}
    name=${name} about=${row.help} value=${value} least=${row.least ?? 0} most=${row.most} step=${step} set=${set}
  ><span class="dim">${row.unit}</span><//>`
}
