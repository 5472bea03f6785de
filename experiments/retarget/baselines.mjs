// baselines.mjs - what copying rotations and three.js make of motion on another body, beside what marey makes.
// usage: node baselines.mjs THREE FOLDER...; each folder holds source.bvh, target.bvh, made.bvh (y up, cm), map.json, plants.json.
//
// Copied: every joint gets the local rotation of its counterpart, the hips' place scaled by the ratio of legs. three.js:
// SkeletonUtils.retargetClip, with the same map and scale. Measured on all alike, with the plants of the source: how far
// planted heels drift on the floor, and how far hands and feet are from where they should be, seen from shoulders and hips,
// in per cent of the limb.
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const [three, ...folders] = process.argv.slice(2);
const THREE = await import(resolve(three, 'build/three.module.js'));
const { BVHLoader } = await import(resolve(three, 'examples/jsm/loaders/BVHLoader.js'));
const { retargetClip } = await import(resolve(three, 'examples/jsm/utils/SkeletonUtils.js'));

const LIMBS = ['left_shoulder left_elbow left_wrist', 'right_shoulder right_elbow right_wrist', 'left_hip left_knee left_ankle',
    'right_hip right_knee right_ankle'].map((line) => line.split(' '));
const HEELS = { left_heel: 'left_ankle', right_heel: 'right_ankle' };

const TRACK = /^\.?(?:bones\[)?(.*?)\]?\.(position|quaternion)$/;

// Names as tracks can say them.
const read = (path) => readFileSync(path, 'utf8').replaceAll(/(?<=[A-Za-z]):(?=[A-Za-z])/g, '_');

// Bones below one object, bound as they are at rest.
function load(path) {
    const text = read(path), { skeleton, clip } = new BVHLoader().parse(text);
    // The loader adds a joint's offset to its position channels, which hold it already.
    const joints = [...text.matchAll(/(?:ROOT|JOINT)\s+(\S+)\s*\{\s*OFFSET\s+(\S+)\s+(\S+)\s+(\S+)\s+CHANNELS\s+6/g)];
    for (const [, name, ...offset] of joints) {
        const track = clip.tracks.find((one) => TRACK.exec(one.name)[1] === name && one.name.endsWith('.position'));
        track?.values.forEach((value, i) => { track.values[i] = value - Number(offset[i % 3]); });
    }
    const body = new THREE.SkinnedMesh();
    body.add(skeleton.bones[0]);
    body.updateMatrixWorld(true);
    skeleton.calculateInverses();
    body.bind(skeleton, new THREE.Matrix4());
    const frames = Math.max(...clip.tracks.map((track) => track.times.length));
    return { body, skeleton, clip, frames, fps: 1 / clip.tracks[0].times[1] };
}

function bonesByRole(motion, map, side) {
    const named = new Map(motion.skeleton.bones.map((bone) => [bone.name, bone]));
    return Object.fromEntries(map.filter((pair) => pair.role).map((pair) => [pair.role, named.get(pair[side])]));
}

// The places of roles in every frame; pose(frame) sets the bones.
function watch(motion, bones, pose) {
    const places = [];
    for (let frame = 0; frame < motion.frames; frame++) {
        pose(frame);
        motion.body.updateMatrixWorld(true);
        places.push(Object.fromEntries(Object.entries(bones).map(
            ([role, bone]) => [role, new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld)])));
    }
    return places;
}

// Sets bones from the tracks of a clip.
function player(motion, clip) {
    const named = new Map(motion.skeleton.bones.map((bone) => [bone.name, bone]));
    const tracks = clip.tracks.map((track) => {
        const [, name, what] = TRACK.exec(track.name);
        return { bone: named.get(name), what, values: track.values };
    });
    return (frame) => {
        for (const { bone, what, values } of tracks) {
            if (!bone) continue;
            const size = what === 'position' ? 3 : 4;
            bone[what].fromArray(values, Math.min(frame, values.length / size - 1) * size);
        }
    };
}

function legLength(places) {
    let sum = 0;
    for (const [hip, knee, ankle] of LIMBS.slice(2))
        sum += places[hip].distanceTo(places[knee]) + places[knee].distanceTo(places[ankle]);
    return sum / 2;
}

function reach(places, [base, middle, end]) {
    const length = places[base].distanceTo(places[middle]) + places[middle].distanceTo(places[end]);
    return places[end].clone().sub(places[base]).divideScalar(length);
}

function measure(was, is, plants) {
    let slide = 0, sum = 0, count = 0;
    for (const { joint, start, end } of plants) {
        const role = HEELS[joint];
        if (!role) continue;
        for (let frame = start; frame < end && frame < is.length; frame++) {
            const a = is[start][role], b = is[frame][role];
            slide = Math.max(slide, Math.hypot(a.x - b.x, a.z - b.z));
        }
    }
    for (let frame = 0; frame < Math.min(was.length, is.length); frame++) {
        for (const limb of LIMBS) {
            if (!limb.every((role) => role in was[frame] && role in is[frame])) continue;
            sum += 100 * reach(was[frame], limb).distanceTo(reach(is[frame], limb));
            count++;
        }
    }
    return { slide, reach: sum / count };
}

console.log('| clip | onto | slide: copied | three.js | marey | reach: copied | three.js | marey |\n|---|---|---|---|---|---|---|---|');
for (const folder of folders) {
    const at = (name) => `${folder}/${name}`;
    const map = JSON.parse(read(at('map.json'))).pairs, plants = JSON.parse(read(at('plants.json'))).contacts;
    const source = load(at('source.bvh')), made = load(at('made.bvh'));
    const was = watch(source, bonesByRole(source, map, 'from'), player(source, source.clip));
    const ours = watch(made, bonesByRole(made, map, 'to'), player(made, made.clip));
    const ratio = legLength(ours[0]) / legLength(was[0]);

    const copied = load(at('target.bvh'));
    copied.frames = source.frames;
    const from = new Map(source.skeleton.bones.map((bone) => [bone.name, bone]));
    const to = new Map(copied.skeleton.bones.map((bone) => [bone.name, bone]));
    const play = player(source, source.clip), hips = map.find((pair) => pair.role === 'hips');
    const copies = watch(copied, bonesByRole(copied, map, 'to'), (frame) => {
        play(frame);
        for (const pair of map) to.get(pair.to)?.quaternion.copy(from.get(pair.from).quaternion);
        source.body.updateMatrixWorld(true);
        const place = new THREE.Vector3().setFromMatrixPosition(from.get(hips.from).matrixWorld).multiplyScalar(ratio);
        const bone = to.get(hips.to);
        bone.parent.updateWorldMatrix(true, false);
        bone.position.copy(bone.parent.worldToLocal(place));
    });

    const theirs = load(at('target.bvh'));
    const names = Object.fromEntries(map.map((pair) => [pair.to, pair.from]));
    const clip = retargetClip(theirs.body, source.body, source.clip, { names, hip: hips.from, scale: ratio, fps: source.fps });
    theirs.frames = source.frames;
    const threes = watch(theirs, bonesByRole(theirs, map, 'to'), player(theirs, clip));

    const [c, t, m] = [copies, threes, ours].map((places) => measure(was, places, plants));
    const [name, onto] = basename(folder).split('--');
    console.log(`| ${name} | ${onto} | ${c.slide.toFixed(1)} | ${t.slide.toFixed(1)} | ${m.slide.toFixed(2)} | ${c.reach.toFixed(1)} | ${
        t.reach.toFixed(1)} | ${m.reach.toFixed(1)} |`);
}
