import { type MultipartError, make } from "multipasta";
import { type AppError, invalidInput } from "../errors.ts";

/** Room for the other fields and the boundaries around a file. */
const MAX_FIELD_BYTES = 16 * 1024;
const MAX_PARTS = 16;

export interface MultipartFile {
	readonly filename: string;
	readonly contentType: string;
	/** Fields that came before the file. */
	readonly fields: Readonly<Record<string, string>>;
	readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Streams the one file field of a multipart form, holding no more than a chunk of it.
 * Fields are read as text; those that come after the file are checked, and then known from `fields` once `chunks` has ended.
 *
 * @throws AppError `VALIDATION_ERROR` when the form is broken, or has no file or several.
 */
export async function readMultipartFile(body: AsyncGenerator<Uint8Array>, contentType: string, fieldName: string): Promise<MultipartFile> {
	const form = new FormReader(body, contentType, fieldName);
	const started = await form.readUntilFile();
	if (started === null) throw refuse(fieldName, `the form has no file field called ${fieldName}`);
	return { ...started, fields: form.fields, chunks: form.readFile() };
}

function refuse(path: string, message: string): AppError {
	return invalidInput("VALIDATION_ERROR", [{ path, message }]);
}

/** Feeds the body to the parser chunk by chunk, so that its callbacks never run ahead of who reads the file. */
class FormReader {
	readonly fields: Record<string, string> = {};
	readonly #body: AsyncIterator<Uint8Array>;
	readonly #parser: ReturnType<typeof make>;
	#queue: Uint8Array[] = [];
	#file: { filename: string; contentType: string } | null = null;
	#fault: AppError | null = null;

	constructor(body: AsyncIterator<Uint8Array>, contentType: string, fieldName: string) {
		this.#body = body;
		this.#parser = make({
			headers: { "content-type": contentType },
			maxParts: MAX_PARTS,
			maxFieldSize: MAX_FIELD_BYTES,
			isFile: (part) => part.name === fieldName,
			onField: (part, value) => {
				this.fields[part.name] = new TextDecoder().decode(value);
			},
			onFile: (part) => {
				if (this.#file !== null) this.#fault = refuse(fieldName, "send one file at a time");
				this.#file ??= { filename: part.filename ?? "", contentType: part.contentType };
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

	async readUntilFile() {
		while (this.#file === null && (await this.#advance()));
		return this.#file;
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
		else this.#parser.write(next.value);
		if (this.#fault !== null) throw this.#fault;
		return next.done !== true;
	}
}

function describeFault(error: MultipartError): string {
	if (error._tag === "InvalidBoundary") return "the Content-Type must be multipart/form-data with a boundary";
	if (error._tag === "ReachedLimit") return "the form has too many parts, or a field that is too long";
	return "the form is broken or cut off";
}
