import { type MultipartError, make } from "multipasta";
import { type AppError, invalidInput } from "../domain/errors.ts";

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
const LINE_FEED = 0x0a;
const DASH = 0x2d;
/** What a form's last boundary ends with. The parser knows it only when it comes in one piece. */
const CLOSING_DASHES = 2;

/** Tells, byte by byte, what of a form is part headers: from a boundary's line to the next empty one. */
class PartHeaders {
	readonly #boundary: string;
	/** The beginning of the present line, as much as is needed to know a boundary. */
	#line = "";
	#isHeader = false;

	constructor(contentType: string) {
		const [, quoted, plain] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
		this.#boundary = `--${quoted ?? plain ?? ""}`;
	}

	/** Whether the byte that comes next belongs to a part header. */
	takes(byte: number): boolean {
		const isHeader = this.#isHeader;
		if (byte !== LINE_FEED) {
			if (this.#line.length < this.#boundary.length) this.#line += String.fromCharCode(byte);
			return isHeader;
		}
		if (!isHeader) this.#isHeader = this.#line === this.#boundary;
		else if (this.#line === "" || this.#line === "\r") this.#isHeader = false;
		this.#line = "";
		return isHeader;
	}
}

/** Feeds the body to the parser chunk by chunk, so that its callbacks never run ahead of who reads the file. */
class FormReader {
	readonly #body: AsyncIterator<Uint8Array>;
	readonly #parser: ReturnType<typeof make>;
	readonly #headers: PartHeaders;
	#queue: Uint8Array[] = [];
	/** Dashes at the end of a chunk, which wait for what follows them. */
	#heldBack: Uint8Array = new Uint8Array();
	#hasFile = false;
	#fault: AppError | null = null;

	constructor(body: AsyncIterator<Uint8Array>, contentType: string, fieldName: string) {
		this.#body = body;
		this.#headers = new PartHeaders(contentType);
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
		if (next.done === true) {
			this.#parser.write(this.#heldBack);
			this.#parser.end();
		} else this.#parser.write(this.#holdBack(this.#parseHeaders(next.value)));
		if (this.#fault !== null) throw this.#fault;
		return next.done !== true;
	}

	#holdBack(chunk: Uint8Array): Uint8Array {
		const bytes = this.#heldBack.byteLength === 0 ? chunk : concatenate(this.#heldBack, chunk);
		let end = bytes.byteLength;
		while (end > 0 && bytes.byteLength - end < CLOSING_DASHES && bytes[end - 1] === DASH) end -= 1;
		this.#heldBack = bytes.subarray(end);
		return bytes.subarray(0, end);
	}

	/**
	 * Parses up to where the file's content begins and returns the rest. The parser refuses part headers beyond Latin-1, but a file
	 * may have any name; as that name is not used, its bytes are replaced one by one. The parser holds bytes back, so the content
	 * begins some bytes before it says so, and those must stay as they are.
	 */
	#parseHeaders(chunk: Uint8Array): Uint8Array {
		let at = 0;
		while (!this.#hasFile && at < chunk.byteLength) {
			const byte = chunk[at] ?? 0;
			const isReplaced = this.#headers.takes(byte) && byte >= FIRST_NON_ASCII;
			this.#parser.write(isReplaced ? new Uint8Array([UNDERSCORE]) : chunk.subarray(at, at + 1));
			at += 1;
		}
		return chunk.subarray(at);
	}
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(first.byteLength + second.byteLength);
	bytes.set(first);
	bytes.set(second, first.byteLength);
	return bytes;
}

function describeFault(error: MultipartError): string {
	if (error._tag === "InvalidBoundary") return "the Content-Type must be multipart/form-data with a boundary";
	if (error._tag === "ReachedLimit") return "the form has too many parts, or a field that is too long";
	return "the form is broken or cut off";
}
