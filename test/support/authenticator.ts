// A software authenticator for tests: it makes passkeys with ES256 keys and signs with them, as WebAuthn Level 3 specifies.

const encoder = new TextEncoder();

const toBase64Url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

const concat = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>;

/** Encodes the few kinds of values of CBOR that WebAuthn needs. */
function encodeCbor(value: Cbor): Uint8Array {
	if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
	if (typeof value === "string") return concat(head(3, encoder.encode(value).length), encoder.encode(value));
	if (value instanceof Uint8Array) return concat(head(2, value.length), value);
	return concat(head(5, value.size), ...[...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)]));
}

function head(major: number, value: number): Uint8Array {
	const type = major << 5;
	if (value < 24) return Uint8Array.of(type | value);
	if (value < 256) return Uint8Array.of(type | 24, value);
	return Uint8Array.of(type | 25, value >> 8, value & 255);
}

/** Converts a signature to DER, because WebCrypto returns its two numbers one after the other, and WebAuthn requires DER. */
function toDer(signature: Uint8Array): Uint8Array {
	const numbers = [signature.slice(0, 32), signature.slice(32)].map(toDerInteger);
	const length = numbers.reduce((sum, number) => sum + number.length, 0);
	return concat(Uint8Array.of(0x30, length), ...numbers);
}

function toDerInteger(bytes: Uint8Array): Uint8Array {
	const start = bytes.findIndex((byte) => byte !== 0);
	const short = bytes.slice(start);
	const number = (short[0] ?? 0) > 127 ? concat(Uint8Array.of(0), short) : short;
	return concat(Uint8Array.of(2, number.length), number);
}

interface Credential {
	readonly id: Uint8Array;
	readonly keys: CryptoKeyPair;
	readonly userHandle: string;
	counter: number;
}

/** How a test makes the browser or the authenticator misbehave. */
export interface Misbehaviour {
	readonly origin?: string;
	readonly rpId?: string;
	/** If true, the authenticator has not checked who the person is. */
	readonly isUnverified?: boolean;
	/** The counter that is signed. */
	readonly counter?: number;
	/** Replaces the challenge, in base64url. */
	readonly challenge?: string;
	/** The type that the browser writes. */
	readonly type?: string;
}

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };

/** What the options of both ceremonies contain. */
interface Challenged {
	readonly challenge: string;
}

export class Authenticator {
	readonly #origin: string;
	readonly #rpId: string;
	readonly #credentials: Credential[] = [];

	constructor(origin = "https://bounty.test") {
		this.#origin = origin;
		this.#rpId = new URL(origin).hostname;
	}

	/** Does what `navigator.credentials.create` does, and returns its result as JSON. */
	async create(options: Challenged & { readonly user: { readonly id: string } }, how: Misbehaviour = {}) {
		const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
		if (!("publicKey" in keys)) throw new Error("An ES256 key is a pair.");
		const credential = { id: crypto.getRandomValues(new Uint8Array(16)), keys, userHandle: options.user.id, counter: 0 };
		this.#credentials.push(credential);
		const raw = await crypto.subtle.exportKey("raw", keys.publicKey);
		if (!(raw instanceof ArrayBuffer)) throw new Error("A raw key has bytes.");
		const point = new Uint8Array(raw);
		const publicKey = encodeCbor(
			new Map<number, Cbor>([
				[1, 2],
				[3, -7],
				[-1, 1],
				[-2, point.slice(1, 33)],
				[-3, point.slice(33)],
			]),
		);
		const attested = concat(new Uint8Array(16), Uint8Array.of(0, credential.id.length), credential.id, publicKey);
		const authData = concat(await this.#authenticatorData(how, { flags: FLAGS.attested, counter: how.counter ?? 0 }), attested);
		const attestation = new Map<string, Cbor>([
			["fmt", "none"],
			["attStmt", new Map()],
			["authData", authData],
		]);
		return {
			...idOf(credential),
			response: {
				clientDataJSON: this.#clientData("webauthn.create", options, how),
				attestationObject: toBase64Url(encodeCbor(attestation)),
				transports: ["internal"],
			},
		};
	}

	/** Does what `navigator.credentials.get` does with the newest passkey, and returns its result as JSON. */
	async get(options: Challenged, how: Misbehaviour = {}) {
		const credential = this.#credentials.at(-1);
		if (credential === undefined) throw new Error("This authenticator has no passkey.");
		credential.counter = how.counter ?? credential.counter + 1;
		const authenticatorData = await this.#authenticatorData(how, { flags: 0, counter: credential.counter });
		const clientDataJSON = this.#clientData("webauthn.get", options, how);
		const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.fromBase64(clientDataJSON, { alphabet: "base64url" })));
		const algorithm = { name: "ECDSA", hash: "SHA-256" };
		const signature = await crypto.subtle.sign(algorithm, credential.keys.privateKey, concat(authenticatorData, hash));
		return {
			...idOf(credential),
			response: {
				clientDataJSON,
				authenticatorData: toBase64Url(authenticatorData),
				signature: toBase64Url(toDer(new Uint8Array(signature))),
				userHandle: credential.userHandle,
			},
		};
	}

	#clientData(type: string, { challenge }: Challenged, how: Misbehaviour): string {
		const data = { type: how.type ?? type, challenge: how.challenge ?? challenge, origin: how.origin ?? this.#origin, crossOrigin: false };
		return toBase64Url(encoder.encode(JSON.stringify(data)));
	}

	async #authenticatorData(how: Misbehaviour, { flags, counter }: { readonly flags: number; readonly counter: number }) {
		const rpIdHash = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(how.rpId ?? this.#rpId)));
		const all = flags | FLAGS.present | (how.isUnverified === true ? 0 : FLAGS.verified);
		const count = new Uint8Array(4);
		new DataView(count.buffer).setUint32(0, counter);
		return concat(rpIdHash, Uint8Array.of(all), count);
	}
}

function idOf({ id }: Credential) {
	return { id: toBase64Url(id), rawId: toBase64Url(id), type: "public-key" as const, clientExtensionResults: {} };
}
