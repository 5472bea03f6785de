// three_rig.mjs FILE.glb FPS OUT.json - of each animation, where three.js shows each node at each frame from its
// first key to its last, in metres: { take: { node: [x, y, z, x, y, z, ..] } }. Pictures are not looked at.
import { readFileSync, writeFileSync } from "node:fs";
import { AnimationMixer, LoopOnce, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const [path, fps, out] = process.argv.slice(2);
const bytes = readFileSync(path);
const length = bytes.readUInt32LE(12);
const text = JSON.parse(bytes.subarray(20, 20 + length).toString("utf8"));
for (const key of ["images", "textures", "samplers", "materials"]) delete text[key];
for (const mesh of text.meshes ?? []) for (const part of mesh.primitives) delete part.material;
let json = Buffer.from(JSON.stringify(text));
json = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, " ")]);
const rest = bytes.subarray(20 + length);
const head = Buffer.alloc(20);
bytes.copy(head, 0, 0, 20);
head.writeUInt32LE(20 + json.length + rest.length, 8);
head.writeUInt32LE(json.length, 12);
const whole = Buffer.concat([head, json, rest]);
const gltf = await new GLTFLoader().parseAsync(whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength), "");

const place = new Vector3();
const seen = {};
for (const clip of gltf.animations) {
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(clip);
    const first = Math.min(...clip.tracks.map((track) => track.times[0]));
    const last = Math.max(...clip.tracks.map((track) => track.times[track.times.length - 1]));
    const nodes = (seen[clip.name] = {});
    action.clampWhenFinished = true;
    action.setLoop(LoopOnce, 1);
    action.play();
    for (let f = 0; f <= Math.floor((last - first) * fps + 0.01); f++) {
        action.paused = false;
        action.enabled = true;
        mixer.setTime(Math.min(first + f / fps, last));
        gltf.scene.updateMatrixWorld(true);
        for (const [object, found] of gltf.parser.associations) {
            const node = found?.nodes;
            if (node === undefined || !object.isObject3D) continue;
            place.setFromMatrixPosition(object.matrixWorld);
            (nodes[text.nodes[node].name] ??= []).push(...place.toArray());
        }
    }
    mixer.stopAllAction();
}
writeFileSync(out, JSON.stringify(seen));
