// Packs files into a zip in steps, so that the page stays responsive.
import { Zip, ZipDeflate } from "fflate";
import type { PickedFile } from "../rules/picked-file.ts";

/** A fixed timestamp, so that the same files always give the same zip. */
const MODIFIED = new Date(2020, 0, 1);
const LEVEL = 6;

/** Packs files into a zip. @param onProgress Gets the share that is packed, from 0 to 1. */
export async function packZip(files: readonly PickedFile[], onProgress: (share: number) => void): Promise<Blob> {
	const total = files.reduce((sum, { file }) => sum + file.size, 0);
	const parts: BlobPart[] = [];
	const packed = new Promise<void>((resolve, reject) => {
		const zip = new Zip((error, part, isLast) => {
			if (error !== null) return reject(error);
			// This makes a copy, because a Blob does not accept the buffer type of the packer.
			parts.push(new Uint8Array(part));
			if (isLast) resolve();
		});
		addAll(zip, files, (bytes) => onProgress(total === 0 ? 1 : bytes / total)).catch(reject);
	});
	await packed;
	return new Blob(parts, { type: "application/zip" });
}

async function addAll(zip: Zip, files: readonly PickedFile[], onBytes: (bytes: number) => void): Promise<void> {
	let done = 0;
	for (const { path, file } of files) {
		const entry = new ZipDeflate(path, { level: LEVEL });
		entry.mtime = MODIFIED;
		zip.add(entry);
		const reader = file.stream().getReader();
		for (let part = await reader.read(); !part.done; part = await reader.read()) {
			entry.push(part.value);
			done += part.value.byteLength;
			onBytes(done);
		}
		entry.push(new Uint8Array(0), true);
	}
	zip.end();
}
