// validate.mjs FILE.glb ... - everything the Khronos validator has to say, as JSON by file.
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

const said = {};
for (const path of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(path)));
    said[path] = report.issues.messages.map((m) => `${m.code} at ${m.pointer ?? m.offset}: ${m.message}`);
}
console.log(JSON.stringify(said));
