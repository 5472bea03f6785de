// role_names.ts - what joints are in a body, for people: "left_knee" is "left knee".
import { t } from './words/words'

const names: Readonly<Record<string, string>> = {
  hips: t('hips'),
  spine: t('spine'),
  chest: t('chest'),
  neck: t('neck'),
  head: t('head'),
  left_collar: t('left collar'),
  left_shoulder: t('left shoulder'),
  left_elbow: t('left elbow'),
  left_wrist: t('left wrist'),
  left_hand: t('left hand'),
  left_hip: t('left hip'),
  left_knee: t('left knee'),
  left_ankle: t('left ankle'),
  left_heel: t('left heel'),
  left_toe: t('left toe'),
  right_collar: t('right collar'),
  right_shoulder: t('right shoulder'),
  right_elbow: t('right elbow'),
  right_wrist: t('right wrist'),
  right_hand: t('right hand'),
  right_hip: t('right hip'),
  right_knee: t('right knee'),
  right_ankle: t('right ankle'),
  right_heel: t('right heel'),
  right_toe: t('right toe'),
}

/** A role, or a part of a foot or hand that is planted. Others as they are called. */
export function roleName(role: string): string {
  return names[role] ?? role.replaceAll('_', ' ')
}
