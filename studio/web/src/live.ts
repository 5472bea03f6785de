// live.ts - what the server says meanwhile, by one WebSocket: jobs, changes of the library, streamed poses. It connects
// again by itself when the line breaks, waiting a little longer each time.
import { api, type Job } from './api'
import { change, getState, tell } from './store'

/** Where a stream of poses begins: whose, and how its joints hang together. */
interface StreamStart {
  stream: number
  clip: number
  joints: number
  parents: number[]
  start: number
  end: number
  fps: number
  rate: number
}

interface StreamListener {
  begin(start: StreamStart): void
  /** joints x 7 numbers: place in cm and rotation (w, x, y, z) of each. Borrowed until it returns. */
  pose(frame: number, values: Float32Array): void
  end(): void
  /** It is not available; the server's words. */
  failed(message: string): void
}

/** Where a steered character begins. */
export interface SteerStart {
  play: number
  graph: string
  skeleton: number
  joints: number
  fps: number
  rate: number
  speeds: number[]
}

/** How well it went, 0 to 1. */
export interface SteerScore {
  control: number
  transition: number
  total: number
  frames: number
  transitions: number
  /** The body of `graph control` that takes the same steps; null: there were none. */
  played: Played | null
  /** False: the end of it is left out. */
  whole: boolean
}

export interface Played {
  graph: string
  controller: string
  script: [number, number, number][]
  do?: string[]
  replace?: boolean
  /** Frames, as a text. */
  length: string
}

/** What a character answers to a request. */
export interface Asked {
  do: string
  /** What the motion does; of an action none. */
  values: number[]
  error: number | null
  error_unit?: string
  outside?: boolean
}

interface SteerListener {
  begin(start: SteerStart): void
  /** A whole message, as docs/studio-api.md lays it out. */
  pose(message: ArrayBuffer): void
  /** Null: the line broke. */
  end(score: SteerScore | null): void
  failed(message: string): void
  /** It goes there now. */
  asked(asked: Asked): void
  /** It begins what it was asked for; null: it is done. */
  doing(text: string | null): void
  /** A request that it cannot do. */
  refused(text: string, message: string): void
}

/** A character that is to react. */
interface ReactRequest {
  puppet: string
  /** Where the main character is, and when. */
  main: [number, number, number]
  time_s: number
  start?: [number, number, number]
  balance?: number
  rough?: boolean
  /** A body of this graph goes there. */
  graph?: string
}

export interface ReactStart {
  react: number
  puppet: string
  rate: number
  start: [number, number, number]
  runs: number
  graph?: string
  /** The clip whose skeleton the body has. */
  skeleton?: number
  joints?: number
  fps?: number
}

interface ReactListener {
  begin(start: ReactStart): void
  /** `needs`: what the graph has to have first. */
  failed(message: string, needs: string): void
  lost(): void
}

interface PlayRequest {
  clip: number
  start: number
  end: number
  rate: number
  speed: number
  loop: boolean
}

const firstWait_ms = 400
const longestWait_ms = 8000
const poseHead = 8
/** Poses of steered characters have their number and this. */
const steered = 256
/** And answers of those who react, all in one message. */
const reacting = 512

let socket: WebSocket | null = null
let wait_ms = firstWait_ms
let retry = 0
const streams = new Map<number, StreamListener>()
const steers = new Map<number, SteerListener>()
const reacts = new Map<number, ReactListener>()
let onReacted: (message: ArrayBuffer) => void = () => undefined
const libraryListeners = new Set<() => void>()

/** Called when something changed in the library, here or by another program, and when the line is back after a break. */
export function onLibrary(listener: () => void): () => void {
  libraryListeners.add(listener)
  return () => libraryListeners.delete(listener)
}

/** Streams poses under one of the numbers 0 to 7; a stream that had the number ends. False: there is no connection. */
export function playStream(stream: number, request: PlayRequest, listener: StreamListener): boolean {
  if (!send({ type: 'play', stream, ...request })) return false
  streams.set(stream, listener)
  return true
}

export function stopStream(stream: number): void {
  if (streams.delete(stream)) send({ type: 'stop', stream })
}

/** A character that is steered through a graph, under one of the numbers 0 to 3. False: there is no connection. */
export function steer(play: number, graph: string, controller: string, listener: SteerListener): boolean {
  if (!send({ type: 'steer', play, graph, controller })) return false
  steers.set(play, listener)
  return true
}

/** Where it is to go, and how fast. */
export function sendCourse(play: number, direction_rad: number, speed_cm_s: number): void {
  if (steers.has(play)) send({ type: 'wish', play, direction_rad, speed_cm_s })
}

/** An action of its graph, or a motion of a family, "kick(height=95)". False: there is no connection. */
export function askFor(play: number, text: string): boolean {
  return steers.has(play) && send({ type: 'ask', play, do: text })
}

/** Its listener receives the score. */
export function haltSteering(play: number): void {
  if (steers.has(play)) send({ type: 'halt', play })
}

/** A reacting character, under one of the numbers 0 to 7; one that had the number goes. False: no connection. */
export function openReactor(react: number, request: ReactRequest, listener: ReactListener): boolean {
  if (!send({ type: 'react', react, ...request })) return false
  reacts.set(react, listener)
  return true
}

export function dismissReactor(react: number): void {
  if (reacts.delete(react)) send({ type: 'dismiss', react })
}

/** Where the main character was since the last time, as seconds, x, y and look: all who react answer in one message. */
export function sendMain(at: readonly (readonly number[])[]): boolean {
  return send({ type: 'main', at })
}

/** Who hears of the answers. */
export function onAnswers(listener: (message: ArrayBuffer) => void): void {
  onReacted = listener
}

function send(message: object): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false
  socket.send(JSON.stringify(message))
  return true
}

/** Opens the line, and keeps it open. */
export function connect(): void {
  clearTimeout(retry)
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const line = new WebSocket(`${scheme}://${location.host}/api/live`)
  line.binaryType = 'arraybuffer'
  socket = line
  line.onopen = () => {
    wait_ms = firstWait_ms
    change({ connected: true })
  }
  line.onmessage = (event) => {
    if (typeof event.data === 'string') takeText(event.data)
    else takePose(event.data as ArrayBuffer)
  }
  line.onclose = () => {
    if (socket !== line) return
    socket = null
    for (const listener of streams.values()) listener.end()
    streams.clear()
    for (const listener of steers.values()) listener.end(null)
    steers.clear()
    for (const listener of reacts.values()) listener.lost()
    reacts.clear()
    change({ connected: false })
    retry = window.setTimeout(connect, wait_ms)
    wait_ms = Math.min(longestWait_ms, wait_ms * 1.7)
  }
}

/** Tries again now instead of when the wait is over. */
export function connectNow(): void {
  wait_ms = firstWait_ms
  if (!socket) connect()
}

export function noteJob(job: Job): void {
  const jobs = new Map(getState().jobs)
  jobs.set(job.job, job)
  for (const number of jobs.keys()) if (jobs.size > 64) jobs.delete(number)
  change({ jobs })
}

/** A job that is over is noted with its result, so that listeners need not wait for that as well. */
async function takeJob(job: Job): Promise<void> {
  if (!job.result_at) return noteJob(job)
  try {
    noteJob(await api.job(job.job))
  } catch {
    // Code that waits for the job polls it.
  }
}

function takeText(text: string): void {
  const message = JSON.parse(text)
  switch (message.type) {
    case 'job':
      void takeJob(message as Job)
      break
    // Changes arrive from here on; those between the lists and now, or while there was no connection, did not.
    case 'hello':
    case 'library':
      for (const listener of [...libraryListeners]) listener()
      break
    case 'stream':
      streams.get(message.stream)?.begin(message as StreamStart)
      break
    case 'stream-end':
      // A stream that was replaced also ends; the listener of the new one has begun by then and goes on.
      break
    case 'steer':
      steers.get(message.play)?.begin(message as SteerStart)
      break
    case 'steer-end':
      steers.get(message.play)?.end(message as SteerScore)
      break
    case 'asked':
      steers.get(message.play)?.asked(message as Asked)
      break
    case 'doing':
      steers.get(message.play)?.doing(message.do)
      break
    case 'react':
      reacts.get(message.react)?.begin(message as ReactStart)
      break
    case 'error':
      if (message.react !== undefined) reacts.get(message.react)?.failed(message.message, message.needs ?? '')
      else if (message.do !== undefined) steers.get(message.play)?.refused(message.do, message.message)
      else if (message.play !== undefined) steers.get(message.play)?.failed(message.message)
      else if (message.stream === undefined) tell(message.message, 'error')
      else streams.get(message.stream)?.failed(message.message)
      break
  }
}

function takePose(data: ArrayBuffer): void {
  if (data.byteLength < poseHead) return
  const [stream, frame] = new Uint32Array(data, 0, 2)
  if (stream === reacting) return onReacted(data)
  if (stream! >= steered) return steers.get(stream! - steered)?.pose(data)
  streams.get(stream!)?.pose(frame!, new Float32Array(data, poseHead))
}
