// controls.ts - the buttons and fields that panels are made of. What is not named here goes to the element as it is.
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from './html'
import { Icon, type IconName } from './icons'
import { allLabels } from './library/select'
import { useStore } from './store'

type Rest = Record<string, unknown>

export function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement | HTMLSelectElement).value
}

export function useWritable(): boolean {
  return useStore((state) => state.about?.library.writable ?? true)
}

/** All labels of the library. */
export function useLabels(): string[] {
  const cards = useStore((state) => state.cards)
  return [...new Set(cards.flatMap(allLabels))].sort()
}

// Buttons

interface ButtonProps extends Rest {
  icon?: IconName
  /** Classes besides its own: "primary", "quiet", "danger". */
  kind?: string
  children?: ComponentChildren
}

export function Button({ icon, kind, children, ...rest }: ButtonProps) {
  return html`<button type="button" class=${kind ? `button ${kind}` : 'button'} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${children}
  </button>`
}

interface IconButtonProps extends Rest {
  icon: IconName
  name: string
  title?: string
  /** Keys that do the same, for the title. */
  keys?: string
  kind?: string
  /** Its name stands beside the icon where there is room. */
  worded?: boolean
}

/** A button that is only an icon: its name is heard, and seen when the pointer rests, or beside it. */
export function IconButton({ icon, name, title = name, keys, kind = '', worded = false, ...rest }: IconButtonProps) {
  const words = keys ? `${title} (${keys})` : title
  const all = `button quiet icon ${worded ? 'worded ' : ''}${kind}`
  return html`<button type="button" class=${all} aria-label=${name} title=${words} ...${rest}>
    <${Icon} name=${icon} />${worded && html`<span class="icon-word">${name}</span>`}
  </button>`
}

interface SwitchProps<T> {
  name: string
  value: T
  options: readonly (readonly [value: T, text: string, title?: string])[]
  set: (value: T) => void
  children?: ComponentChildren
}

/** One of a few, side by side. */
export function Switch<T>({ name, value, options, set, children }: SwitchProps<T>) {
  return html`<div class="making-switch" role="group" aria-label=${name}>
    ${children}
    ${options.map(
      ([each, text, title]) => html`<${Button}
        key=${text} kind="quiet" title=${title} aria-pressed=${String(each === value)} onClick=${() => set(each)}
      >${text}<//>`,
    )}
  </div>`
}

interface TabsProps<T extends string> {
  /** Of the elements: "ID-tab-TAB" and "ID-page". */
  id: string
  name: string
  tabs: readonly (readonly [tab: T, name: string, title: string])[]
  now: T
  set: (tab: T) => void
}

export function Tabs<T extends string>({ id, name, tabs, now, set }: TabsProps<T>) {
  /** Arrow keys go from tab to tab, as everywhere. */
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!by) return
    takeEvent(event)
    const at = tabs.findIndex(([tab]) => tab === now)
    const [next] = tabs[(at + by + tabs.length) % tabs.length]!
    set(next)
    requestAnimationFrame(() => document.getElementById(`${id}-tab-${next}`)?.focus())
  }
  return html`<div class="graph-tabs" role="tablist" aria-label=${name} onKeyDown=${press}>
    ${tabs.map(
      ([tab, words, title]) => html`<${Button}
        key=${tab} id=${`${id}-tab-${tab}`} role="tab" kind="quiet" title=${title} aria-selected=${String(now === tab)}
        aria-controls=${`${id}-page`} tabindex=${now === tab ? 0 : -1} onClick=${() => set(tab)}
      >${words}<//>`,
    )}
  </div>`
}

// Fields

interface CheckProps {
  name: string
  title: string
  on: boolean
  set: (on: boolean) => void
  disabled?: boolean
}

export function Check({ name, title, on, set, disabled = false }: CheckProps) {
  const change = (event: Event) => set((event.currentTarget as HTMLInputElement).checked)
  return html`<label class="making-check flex-row" title=${title}>
    <input type="checkbox" checked=${on} disabled=${disabled} onChange=${change} />${name}
  </label>`
}

type Value = string | number
/** A value, its words if they differ and what it means; or several under a heading. */
type Option =
  | Value
  | readonly [value: Value, text: string, about?: string, disabled?: boolean]
  | { group: string; options: readonly Option[] }

function optionOf(option: Option, now: string): VNode {
  if (typeof option === 'object' && 'group' in option) {
    const inside = option.options.map((each) => optionOf(each, now))
    return html`<optgroup key=${option.group} label=${option.group}>${inside}</optgroup>`
  }
  const [value, text, about, disabled] = typeof option === 'object' ? option : [option, option]
  return html`<option key=${value} value=${value} title=${about} disabled=${disabled} selected=${String(value) === now}>
    ${text}
  </option>`
}

interface SelectProps extends Rest {
  value: Value
  options: readonly Option[]
  set: (value: string) => void
  /** Classes besides its own. */
  kind?: string
}

export function Select({ value, options, set, kind = '', ...rest }: SelectProps) {
  return html`<select
    class=${`field ${kind}`} value=${value} onChange=${(event: Event) => set(valueOf(event))} ...${rest}
  >
    ${options.map((option) => optionOf(option, String(value)))}
  </select>`
}

interface FieldProps extends Rest {
  name: string
  /** Of the whole field. */
  about?: string
  children?: ComponentChildren
}

/** A select with its name before it; `children` come behind. */
export function Choice({ name, about, children, ...rest }: FieldProps) {
  return html`<label class="compare-field flex-row" title=${about}>
    <span>${name}</span><${Select} ...${rest} />${children}
  </label>`
}

/** Text that is typed. */
export function TextField({ name, about, set, ...rest }: FieldProps & { set: (text: string) => void }) {
  return html`<label class="compare-field flex-row compare-name" title=${about}>
    <span>${name}</span>
    <input
      class="field" autocomplete="off" spellcheck=${false} onInput=${(event: Event) => set(valueOf(event))} ...${rest}
    />
  </label>`
}

interface Limited extends Rest {
  least: number
  most?: number
  set: (value: number) => void
}

interface NumberProps extends Limited {
  name: string
  about?: string
  value: number
  kind?: string
  children?: ComponentChildren
}

/** A number that counts with Enter, when the field is left, and at every step of its arrows. */
export function NumberField({ name, about, value, least, most, set, kind = '', children, ...rest }: NumberProps) {
  const typed = useTyped(value, (wanted) => wanted >= least && wanted <= (most ?? Infinity) && wanted !== value && set(wanted))
  return html`<label class="compare-field flex-row" title=${about}>
    <span>${name}</span>
    <input class=${`field ${kind}`} type="number" min=${least} max=${most} ...${typed} ...${rest} />${children}
  </label>`
}

/** A whole number that counts at once, if it is in its limits. */
export function WholeInput({ least, most, set, ...rest }: Limited) {
  const input = (event: Event) => {
    const value = valueOf(event) === '' ? NaN : Number(valueOf(event))
    if (Number.isInteger(value) && value >= least && value <= (most ?? Infinity)) set(value)
  }
  return html`<input class="field" type="number" min=${least} max=${most} onInput=${input} ...${rest} />`
}

interface RangeProps extends Rest {
  name: string
  about?: string
  set: (value: number) => void
  /** The value in words. */
  children: ComponentChildren
}

export function Range({ name, about, set, children, ...rest }: RangeProps) {
  return html`<label class="making-range flex-row" title=${about}>
    <span>${name}</span>
    <input type="range" onInput=${(event: Event) => set(Number(valueOf(event)))} ...${rest} />
    <output>${children}</output>
  </label>`
}

interface Typed {
  value: string | number
  onInput: (event: Event) => void
  onChange: () => void
  onBlur: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

/** Properties for a number that is typed: what is in the field stays while answers come and the panel is drawn again. What is
 *  no number is put back to `value`; `set` may refuse others by doing nothing. */
export function useTyped(value: number, set: (value: number) => void): Typed {
  const text = useRef<string | null>(null)
  const [, draw] = useState(0)
  const put = (next: string | null) => {
    text.current = next
    draw((count) => count + 1)
  }
  const take = () => {
    const typed = text.current?.trim()
    if (typed && Number.isFinite(Number(typed))) set(Number(typed))
    if (text.current !== null) put(null)
  }
  return {
    value: text.current ?? value,
    onInput: (event) => put(valueOf(event)),
    onChange: take,
    onBlur: take,
    onKeyDown: (event) => event.key === 'Enter' && take(),
  }
}

/** A name typed over a suggested one, and what saves something under it: the suggestion is back when that worked, and for
 *  another `subject`. */
export function useNaming(suggested: string, subject: string, save: (name: string) => Promise<boolean>) {
  const [typed, set] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  useEffect(() => set(null), [subject])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    if (await save((typed ?? suggested).trim() || suggested)) set(null)
    setBusy(false)
  }
  return { name: typed ?? suggested, set, busy, submit }
}

// Keys

/** Nothing else hears of it. */
export function takeEvent(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

export function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey
}

/** To the right and down, as on the screen. */
export const arrowWays: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Escape leaves a field for what `goals` selects; the next one leaves the panel. */
export function leaveField(goals: string) {
  return (event: KeyboardEvent) => {
    const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
    if (event.key !== 'Escape' || !field) return
    event.preventDefault()
    ;(event.currentTarget as HTMLElement).querySelector<HTMLElement>(goals)?.focus()
  }
}

/** Keys in a field, and on a tab, are its own: they steer no character. */
export function isTyped(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest('[role=tab]')) return true
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
}

// The pointer

/** How far beside something a mouse, and a finger, may press and still take it. */
export const grip_px: readonly [number, number] = [12, 22]

/** How far the pointer is over an element, from 0 to 1. */
export function shareUnder(element: Element, { clientX, clientY }: MouseEvent): [number, number] {
  const box = element.getBoundingClientRect()
  return [(clientX - box.left) / box.width, (clientY - box.top) / box.height]
}

/** Handlers of something that follows the pointer while it is pressed; `focused` gets the keys. */
export function dragging(move: (event: PointerEvent, element: Element) => void, focused = '') {
  return {
    onPointerDown: (event: PointerEvent) => {
      const element = event.currentTarget as HTMLElement
      if (event.button !== 0) return
      element.setPointerCapture(event.pointerId)
      const keys = focused ? element.querySelector<HTMLElement>(focused) : element
      keys?.focus({ preventScroll: true })
      event.preventDefault()
      move(event, element)
    },
    onPointerMove: (event: PointerEvent) => {
      const element = event.currentTarget as Element
      if (element.hasPointerCapture(event.pointerId)) move(event, element)
    },
  }
}
