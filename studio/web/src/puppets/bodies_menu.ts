// bodies_menu.ts - whose bodies go where those go who react: those of a motion graph that can be steered. Where none can, one is
// trained here.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { api, type GraphRow } from '../api'
import { Button, Choice, useWritable } from '../controls'
import { html } from '../html'
import { onLibrary } from '../live'
import { playing } from './play_session'
import { puppets } from './session'

/** Null while they have not come; and what asks for them again. Of several answers the last one asked for counts. Bodies of a graph
 *  that is gone go with it. */
function useGraphs(): [GraphRow[] | null, () => Promise<void>] {
  const [graphs, setGraphs] = useState<GraphRow[] | null>(null)
  const asked = useRef(0)
  const load = useCallback(async () => {
    const mine = ++asked.current
    const table = await api.graphs().catch(() => null)
    if (!table || mine !== asked.current) return
    setGraphs(table.graphs)
    const { graph } = playing
    if (graph && !table.graphs.some(({ name, policy }) => policy && name === graph)) playing.set({ graph: '' })
  }, [])
  useEffect(() => {
    void load()
    const stop = onLibrary(() => void load())
    return () => {
      asked.current++
      stop()
    }
  }, [])
  return [graphs, load]
}

/** Takes some seconds; then the bodies are there at once. */
function TrainBodies({ graph, load }: { graph: string; load: () => Promise<void> }) {
  const train = async () => {
    if (!(await puppets.trainGraph(graph))) return
    await load()
    playing.set({ graph })
  }
  return html`<${Button}
    disabled=${puppets.job > 0} onClick=${() => void train()}
    title=${`So that whole bodies go there: the motion graph ${graph} learns to be steered, once; it is kept in the library`}
  >Train bodies<//>`
}

export function Bodies() {
  const writable = useWritable()
  const [graphs, load] = useGraphs()
  const steered = (graphs ?? []).filter(({ policy }) => policy)
  const [most] = [...(graphs ?? [])].sort((a, b) => (b.frames ?? 0) - (a.frames ?? 0))
  if (writable && most?.frames && !steered.length) return html`<${TrainBodies} graph=${most.name} load=${load} />`
  const about = steered.length
    ? 'Whole bodies of a motion graph go where they go'
    : 'Bodies need a motion graph that can be steered: build one in the panel Motion graphs'
  return html`<${Choice}
    name="Bodies" about=${about} value=${playing.graph} disabled=${!steered.length}
    options=${[['', 'none'], ...steered.map(({ name }) => name)]} set=${(graph: string) => playing.set({ graph })}
  />`
}
