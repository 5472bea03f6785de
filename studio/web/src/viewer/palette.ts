// palette.ts - the viewer's colours in the dark and in the light. Left is blue and right is orange, as in the
// film strips.
import { Color } from 'three'
import { Group } from './figure'

export interface Palette {
  background: Color
  floor: Color
  line: Color
  lineStrength: number
  shadow: number
  left: Color
  right: Color
  neutral: Color
  flat: Color
  flatGround: Color
  past: Color
  future: Color
}

const colour = (hex: string): Color => new Color(hex)

export const DARK: Palette = {
  background: colour('#16181d'),
  floor: colour('#23262d'),
  line: colour('#7d8695'),
  lineStrength: 0.4,
  shadow: 0.6,
  left: colour('#4b9be8'),
  right: colour('#f0973a'),
  neutral: colour('#a3aab6'),
  flat: colour('#eceae4'),
  flatGround: colour('#101216'),
  past: colour('#22b8c4'),
  future: colour('#f2577d'),
}

export const LIGHT: Palette = {
  background: colour('#e9ebef'),
  floor: colour('#f6f7f9'),
  line: colour('#7a8494'),
  lineStrength: 0.5,
  shadow: 0.34,
  left: colour('#1d6cc4'),
  right: colour('#ee850f'),
  neutral: colour('#868d99'),
  flat: colour('#14161a'),
  flatGround: colour('#f4f3ef'),
  past: colour('#0d9aa8'),
  future: colour('#dc3868'),
}

/** One for each character; the first is the leader's and stands for the neutral trunk. Blue and orange are
 * taken. */
const HUES = ' #37b27a #ba60ba #c9b33a #8f74e0 #d85757 #35b5b9 #94b83f #b98060 #e488a4'.split(' ')

/** What a character is known by: its trunk, its path and its row in the legend. */
export function characterColour(palette: Palette, index: number, several: boolean): Color {
  const hue = HUES[index % HUES.length]
  return !several || hue === '' ? palette.neutral.clone() : new Color(hue)
}

export function partColour(palette: Palette, group: Group, own: Color, index: number, out: Color): Color {
  if (group === Group.Trunk || group === Group.Head) return out.copy(own)
  out.copy(group === Group.Left ? palette.left : palette.right)
  // Limbs keep their side's colour, and take enough of the character's for telling it from the others.
  return index > 0 ? out.lerp(own, 0.45) : out
}
