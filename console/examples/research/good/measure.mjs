// Compresses each file 21 times with either method, and prints the size and the median time. Usage: node measure.mjs <file> ...
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const methods = {
	"gzip-6": (data) => gzipSync(data, { level: 6 }),
	"brotli-5": (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

console.log("file,method,bytes,milliseconds");
for (const path of process.argv.slice(2)) {
	const data = readFileSync(path);
	for (const [name, compress] of Object.entries(methods)) {
		const times = Array.from({ length: 21 }, () => {
			const start = performance.now();
			compress(data);
			return performance.now() - start;
		});
		console.log([basename(path), name, compress(data).length, median(times).toFixed(1)].join(","));
	}
}
