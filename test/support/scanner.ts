// A scanner that finds credentials in public and reports them, as GitHub's secret scanning does.
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** A DER number: at least one byte, and a zero in front of a high bit. */
function derNumber(bytes: Uint8Array): number[] {
	const start = bytes.findIndex((byte) => byte !== 0);
	const digits = [...bytes.subarray(start === -1 ? bytes.length - 1 : start)];
	const positive = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
	return [0x02, positive.length, ...positive];
}

/** A scanner with its own key pair, as its server publishes it. */
export async function createScanner(keyId = "key-1") {
	const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
	if (!("privateKey" in pair)) throw new Error("No key pair.");
	const spki = new Uint8Array(await exportSpki(pair.publicKey)).toBase64();
	const pem = `-----BEGIN PUBLIC KEY-----\n${spki.replace(/.{64}/g, "$&\n")}\n-----END PUBLIC KEY-----\n`;
	const sign = async (body: string) => {
		const raw = new Uint8Array(
			await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, new TextEncoder().encode(body)),
		);
		const numbers = [...derNumber(raw.subarray(0, 32)), ...derNumber(raw.subarray(32))];
		return new Uint8Array([0x30, numbers.length, ...numbers]).toBase64();
	};
	return { keyId, sign, entry: { key_identifier: keyId, key: pem, is_current: true } };
}

async function exportSpki(key: CryptoKey): Promise<ArrayBuffer> {
	const exported = await crypto.subtle.exportKey("spki", key);
	if (!(exported instanceof ArrayBuffer)) throw new Error("Not the format that was asked for.");
	return exported;
}

export type Scanner = Awaited<ReturnType<typeof createScanner>>;

/** The input of a request with a report that the scanner has signed. */
export async function signReport({ keyId, sign }: Scanner, body: string) {
	return {
		rawBody: body,
		headers: {
			"Content-Type": "application/json",
			"Github-Public-Key-Identifier": keyId,
			"Github-Public-Key-Signature": await sign(body),
		},
	};
}
