import { type MultipartError, make } from "multipasta";
import { type AppError, invalidInput } from "../errors.ts";

/** Of the other fields, which are skipped. */
const MAX_FIELD_BYTES = 16 * 1024;
const MAX_PARTS = 16;

/**
 * Streams the one file field of a multipart form, holding no more than a chunk of it.
 *
 * @throws AppError `VALIDATION_ERROR`, now or while it is read, when the form is broken, or has no file or several.
 */
export async function readMultipartFile(
	body: AsyncGenerator<Uint8Array>,
	contentType: string,
	fieldName: string,
): Promise<AsyncIterable<Uint8Array>> {
	const form = new FormReader(body, contentType, fieldName);
	if (!(await form.readUntilFile())) throw refuse(fieldName, `the form has no file field called ${fieldName}`);
	return form.readFile();
}

function refuse(path: string, message: string): AppError {
	return invalidInput("VALIDATION_ERROR", [{ path, message }]);
}

const FIRST_NON_ASCII = 0x80;
const UNDERSCORE = 0x5f;

/** Feeds the body to the parser chunk by chunk, so that its callbacks never run ahead of who reads the file. */
class FormReader {
	readonly #body: AsyncIterator<Uint8Array>;
	readonly #parser: ReturnType<typeof make>;
	#queue: Uint8Array[] = [];
	#hasFile = false;
	#fault: AppError | null = null;

	constructor(body: AsyncIterator<Uint8Array>, contentType: string, fieldName: string) {
		this.#body = body;
		this.#parser = make({
			headers: { "content-type": contentType },
			maxParts: MAX_PARTS,
			maxFieldSize: MAX_FIELD_BYTES,
			isFile: (part) => part.name === fieldName,
			onField: () => undefined,
			onFile: () => {
				if (this.#hasFile) this.#fault = refuse(fieldName, "send one file at a time");
				this.#hasFile = true;
				return (chunk) => {
					if (chunk !== null) this.#queue.push(chunk);
				};
			},
			onError: (error) => {
				this.#fault ??= refuse(fieldName, describeFault(error));
			},
			onDone: () => undefined,
		});
	}

	async readUntilFile(): Promise<boolean> {
		while (!this.#hasFile && (await this.#advance()));
		return this.#hasFile;
	}

	async *readFile(): AsyncGenerator<Uint8Array> {
		for (;;) {
			const ready = this.#queue;
			this.#queue = [];
			yield* ready;
			if (!(await this.#advance())) break;
		}
		yield* this.#queue;
	}

	/** Parses one more chunk; false at the end of the body. */
	async #advance(): Promise<boolean> {
		const next = await this.#body.next();
		if (next.done === true) this.#parser.end();
		else this.#parser.write(this.#parseHeaders(next.value));
		if (this.#fault !== null) throw this.#fault;
		return next.done !== true;
	}

	/**
	 * Parses up to where the file's content begins and returns the rest. The parser refuses part headers beyond Latin-1, but a file
	 * may have any name; as that name is not used, its bytes are replaced one by one until the content begins.
	 */
	#parseHeaders(chunk: Uint8Array): Uint8Array {
		let at = 0;
		while (!this.#hasFile && at < chunk.byteLength) {
			const byte = chunk[at] ?? 0;
			this.#parser.write(byte < FIRST_NON_ASCII ? chunk.subarray(at, at + 1) : new Uint8Array([UNDERSCORE]));
			at += 1;
		}
		return chunk.subarray(at);
	}
}

function describeFault(error: MultipartError): string {
	if (error._tag === "InvalidBoundary") return "the Content-Type must be multipart/form-data with a boundary";
	if (error._tag === "ReachedLimit") return "the form has too many parts, or a field that is too long";
	return "the form is broken or cut off";
}
