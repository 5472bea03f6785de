// sketch_api.ts - the server's addresses for sketched movements (docs/studio-api.md, "Sketching").
import { ask, get, post, postForBytes } from '../api'
import type { DofTable, ExampleAnswer, ExampleBody, ExampleMake } from '../api'

export const api = {
  dofs: () => get<DofTable>('/api/dofs'),
  /** A row of frames for each. */
  async signals(id: number, dofs: readonly string[], start: number, end: number): Promise<Float32Array> {
    const of = dofs.map(encodeURIComponent).join(',')
    const answer = await ask(`/api/clips/${id}/signals?of=${of}&start=${start}&end=${end}`)
    return new Float32Array(await answer.arrayBuffer())
  },
  find: (body: ExampleBody) => post<ExampleAnswer>('/api/do/example?list=1', body),
  make: (body: ExampleMake) => postForBytes('/api/do/example', body),
}
