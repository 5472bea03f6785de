// cluster_api.ts - the server's addresses for cluster graphs (docs/studio-api.md, "Cluster graphs").
import { ask, get, post, postForBytes } from '../api'
import type { Cluster, ClusterBody, ClusterCloser, ClusterLoop, ClusterLoopBody, ClusterSwitch } from '../api'
import type { ClusterTable, Kept, StitchBody } from '../api'

function of(name: string, more: Record<string, number | undefined> = {}): string {
  const query = new URLSearchParams({ name })
  for (const [key, value] of Object.entries(more)) if (value !== undefined) query.set(key, String(value))
  return query.toString()
}

export const api = {
  table: () => get<ClusterTable>('/api/clusters'),
  open: (name: string, nodes: number) => get<Cluster>(`/api/cluster?${of(name, { nodes })}`),
  async poses(name: string, nodes: number): Promise<ArrayBuffer> {
    return (await ask(`/api/cluster/poses?${of(name, { nodes })}`)).arrayBuffer()
  },
  node: (name: string, node: number) => get<ClusterCloser>(`/api/cluster/node?${of(name, { node })}`),
  /** Without `to` the best one to each other sequence of the node. */
  switches: (name: string, from: number, to?: number) =>
    get<{ switches: ClusterSwitch[]; unit: string }>(`/api/cluster/switches?${of(name, { from, to })}`),
  loops: (name: string, clip: number) =>
    get<{ loops: ClusterLoop[] }>(`/api/cluster/loops?${of(name, { clip, count: 100 })}`),
  build: (body: ClusterBody) => post<{ job: number }>('/api/clusters', body),
  remove: (name: string) => post<object>('/api/do/cluster-rm', { name }),
  stitch: (body: StitchBody) => postForBytes('/api/clusters/stitch', body),
  keepStitch: (body: StitchBody, name: string) => post<Kept>('/api/clusters/stitch', { ...body, name }),
  loop: (body: ClusterLoopBody) => postForBytes('/api/clusters/loop', body),
  keepLoop: (body: ClusterLoopBody, name: string) => post<Kept>('/api/clusters/loop', { ...body, name }),
}
