// cluster_api.ts - the server's addresses for cluster graphs (docs/studio-api.md, "Cluster graphs").
import { ask, get, operate, post, postForBytes } from '../api'
import type { Cluster, ClusterBody, ClusterLoop, ClusterNodeAnswer, ClusterSwitch, ClusterTable } from '../api'

function of(name: string, more: Record<string, number | undefined> = {}): string {
  const query = new URLSearchParams({ name })
  for (const [key, value] of Object.entries(more)) if (value !== undefined) query.set(key, String(value))
  return query.toString()
}

export const api = {
  table: () => operate<ClusterTable>('cluster ls', {}),
  open: (name: string, nodes: number) => get<Cluster>(`/api/cluster?${of(name, { nodes })}`),
  async poses(name: string, nodes: number): Promise<ArrayBuffer> {
    return (await ask(`/api/cluster/poses?${of(name, { nodes })}`)).arrayBuffer()
  },
  node: (name: string, node: number) => get<ClusterNodeAnswer>(`/api/cluster/node?${of(name, { node })}`),
  /** Without `to` the best one to each other sequence of the node. */
  switches: (name: string, from: number, to?: number) =>
    get<{ switches: ClusterSwitch[]; unit: string }>(`/api/cluster/switches?${of(name, { from, to })}`),
  /** The best one that closes in the node, or anywhere. */
  bestLoop: async (cluster: string, clip: number, node?: number) => {
    const body = { cluster, clip, count: 1, ...(node !== undefined && { node }) }
    return (await post<{ loops: ClusterLoop[] }>('/api/do/cluster-loop?list=1', body)).loops[0]
  },
  build: (body: ClusterBody) => operate<{ job: number }>('cluster build', body),
  remove: (name: string) => operate<object>('cluster rm', { name }),
  make: (operation: string, body: object) => postForBytes(`/api/do/${operation.replace(' ', '-')}`, body),
}
