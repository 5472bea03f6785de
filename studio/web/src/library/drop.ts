// drop.ts - files that come to the page: dropped anywhere on it, with their folders, or chosen in the system's dialog.
import { useEffect, useState } from 'preact/hooks'
import { offerFiles, type PickedFile } from '../actions'
import { html } from '../html'
import { Icon } from '../icons'

const deepest = 16

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((done, fail) => entry.file(done, fail))
}

/** All entries of a folder; the browser hands them out a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    if (some.length === 0) return all
    all.push(...some)
  }
}

/** The files below an entry, with paths from the dropped folder on, so that an AMC finds the ASF beside it. */
async function filesBelow(entry: FileSystemEntry, depth = 0): Promise<PickedFile[]> {
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry)
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  if (depth >= deepest) return []
  const below: PickedFile[] = []
  for (const one of await entriesOf(entry as FileSystemDirectoryEntry)) {
    if (!one.name.startsWith('.')) below.push(...(await filesBelow(one, depth + 1)))
  }
  return below
}

async function takeDrop(data: DataTransfer): Promise<void> {
  // Entries must be asked for before the first wait: the drop's data is gone after it.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
  const plain = [...data.files].map((file) => ({ path: file.name, file }))
  try {
    const files = (await Promise.all(entries.map((entry) => filesBelow(entry)))).flat()
    offerFiles(files.length ? files : plain)
  } catch {
    offerFiles(plain)
  }
}

/** Opens the system's dialog for files. */
export function chooseFiles(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.onchange = () => {
    const files = [...(input.files ?? [])]
    if (files.length) offerFiles(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })))
  }
  input.click()
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}

/** Watches the whole page; shows where to let go while files are dragged over it. */
export function DropTarget() {
  const [over, setOver] = useState(false)
  useEffect(() => {
    // Entering a child comes before leaving its parent, so the two are counted.
    let depth = 0
    const move = (event: DragEvent, by: number) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = Math.max(0, depth + by)
      setOver(depth > 0)
    }
    const enter = (event: DragEvent) => move(event, 1)
    const leave = (event: DragEvent) => move(event, -1)
    const hover = (event: DragEvent) => hasFiles(event) && event.preventDefault()
    const drop = (event: DragEvent) => {
      move(event, -depth)
      if (hasFiles(event)) void takeDrop(event.dataTransfer!)
    }
    const all: [string, (event: DragEvent) => void][] = [
      ['dragenter', enter],
      ['dragleave', leave],
      ['dragover', hover],
      ['drop', drop],
    ]
    for (const [name, listener] of all) window.addEventListener(name, listener as EventListener)
    return () => {
      for (const [name, listener] of all) window.removeEventListener(name, listener as EventListener)
    }
  }, [])
  if (!over) return null
  return html`<div class="drop-hint">
    <div>
      <${Icon} name="import" />
      <strong>Drop to import</strong>
      <span class="dim">BVH, FBX, glTF, AMC with its ASF, arrays, TRC, C3D; folders are fine</span>
    </div>
  </div>`
}
