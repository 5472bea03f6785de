// three_positions.mjs FILE.glb OUT.json - where three.js shows each joint at each time of the animation, in metres:
// a list of frames, each a list of x, y, z. Joints are the nodes of the skin, in its order.
import { readFileSync, writeFileSync } from "node:fs";
import { AnimationMixer, LoopOnce, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const [path, out] = process.argv.slice(2);
const bytes = readFileSync(path);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new GLTFLoader().parseAsync(buffer, "");

let skinned = null;
gltf.scene.traverse((node) => {
    if (node.isSkinnedMesh) skinned = node;
});
const { frames, fps } = gltf.asset.extras.marey;
const mixer = new AnimationMixer(gltf.scene);
const action = mixer.clipAction(gltf.animations[0]);
action.clampWhenFinished = true; // the last key would be taken for the first of the next round
action.setLoop(LoopOnce, 1);
action.play();

const place = new Vector3();
const seen = [];
for (let f = 0; f < frames; f++) {
    action.paused = false;
    action.enabled = true;
    mixer.setTime(Math.fround(f / fps));
    gltf.scene.updateMatrixWorld(true);
    seen.push(skinned.skeleton.bones.flatMap((bone) => place.setFromMatrixPosition(bone.matrixWorld).toArray()));
}
writeFileSync(out, JSON.stringify(seen));
