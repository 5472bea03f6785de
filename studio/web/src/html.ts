// html.ts - templates instead of a compiler for them: html`<p>${text}</p>` makes Preact's nodes.
import htm from 'htm'
import { h, type VNode } from 'preact'

export const html = htm.bind(h) as unknown as (strings: TemplateStringsArray, ...values: unknown[]) => VNode
