// open_dialog.ts - the dialog that is open, if there is one.
import type { ComponentType } from 'preact'
import { html } from '../html'
import { useStore, type State } from '../store'
import { ExportDialog } from '../timeline/export_menu'
import { CleanDialog, DescribeDialog, LabelsDialog, PurgeDialog, RenameDialog } from './clip_dialogs'
import { HowDialog, KeysDialog } from './how_dialog'
import { ImportDialog } from './import_dialog'
import { JobsDialog } from './jobs_dialog'
import { PickDialog } from './pick_dialog'

const dialogs: Record<Exclude<State['dialog'], 'none'>, ComponentType> = {
  pick: PickDialog,
  jobs: JobsDialog,
  keys: KeysDialog,
  how: HowDialog,
  import: ImportDialog,
  labels: LabelsDialog,
  rename: RenameDialog,
  describe: DescribeDialog,
  purge: PurgeDialog,
  export: ExportDialog,
  clean: CleanDialog,
}

export function OpenDialog() {
  const open = useStore((state) => state.dialog)
  return open === 'none' ? null : html`<${dialogs[open]} key=${open} />`
}
