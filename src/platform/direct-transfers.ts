import { AwsClient } from "aws4fetch";
import { type Clock, MINUTE_MS, SECOND_MS, toIso } from "./clock.ts";

/** Transfers that bypass the Worker. They use presigned URLs of the bucket's S3 API. */
export interface DirectTransfers {
	/**
	 * Returns a URL for uploading an object with PUT, valid for `ttlMs` milliseconds, at most a week. The signature includes the length, so
	 * the bucket rejects a body of any other length.
	 */
	presignPut(key: string, options: { readonly ttlMs: number; readonly bytes: number }): Promise<PresignedUrl>;
	/** Returns a URL for downloading an object as `filename`, valid for `ttlMs` milliseconds, at most a week. */
	presignGet(key: string, options: { readonly ttlMs: number; readonly filename: string }): Promise<PresignedUrl>;
	/** Copies an object within the bucket without passing its bytes through the Worker. */
	copy(fromKey: string, toKey: string): Promise<void>;
}

export interface PresignedUrl {
	readonly url: string;
	/** The query string, which is the credential. */
	readonly token: string;
	readonly path: string;
	/** How long the URL works from now on, in milliseconds. */
	readonly ttlMs: number;
}

/** The longest lifetime that S3 allows. */
const MAX_TTL_SECONDS = 7 * 24 * 60 * 60;

/**
 * Signs URLs with AWS Signature Version 4. R2's only region is `auto`. A URL is signed as of the start of the minute. So URLs that are made
 * in the same minute with the same expiry are equal, and responses that contain one keep their ETag.
 */
export function createDirectTransfers(
	settings: { readonly endpoint: string; readonly bucket: string; readonly accessKeyId: string; readonly secretAccessKey: string },
	clock: Clock,
	send: (url: string, init: RequestInit) => Promise<Response>,
): DirectTransfers {
	const { accessKeyId, secretAccessKey } = settings;
	const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region: "auto" });
	const objectUrlOf = (key: string): URL => new URL(`${settings.endpoint}/${settings.bucket}/${key}`);
	const presign = async (
		objectUrl: URL,
		{
			method,
			ttlMs,
			headers = {},
		}: {
			readonly method: "GET" | "PUT";
			readonly ttlMs: number;
			/** Headers that the request must contain. */
			readonly headers?: Readonly<Record<string, string>>;
		},
	): Promise<PresignedUrl> => {
		const now = clock.now();
		const signedAt = Math.floor(now / MINUTE_MS) * MINUTE_MS;
		const endsAt = Math.max(now + SECOND_MS, now + ttlMs);
		const seconds = Math.min(MAX_TTL_SECONDS, Math.floor((endsAt - signedAt) / SECOND_MS));
		objectUrl.searchParams.set("X-Amz-Expires", String(seconds));
		// By default, the library leaves some headers unsigned, including the length.
		const aws = { signQuery: true, datetime: toAmzDate(signedAt), allHeaders: true };
		const signed = new URL((await client.sign(objectUrl.toString(), { method, headers, aws })).url);
		return { url: signed.toString(), token: signed.search.slice(1), path: signed.pathname, ttlMs: signedAt + seconds * SECOND_MS - now };
	};
	return {
		presignPut: (key, { ttlMs, bytes }) =>
			presign(objectUrlOf(key), { method: "PUT", ttlMs, headers: { "Content-Length": String(bytes) } }),
		presignGet(key, { ttlMs, filename }) {
			const objectUrl = objectUrlOf(key);
			objectUrl.searchParams.set("response-content-disposition", `attachment; filename="${filename}"`);
			return presign(objectUrl, { method: "GET", ttlMs });
		},
		async copy(fromKey, toKey) {
			const headers = { "x-amz-copy-source": `/${settings.bucket}/${fromKey}` };
			const signed = await client.sign(objectUrlOf(toKey).toString(), { method: "PUT", headers });
			const response = await send(signed.url, { method: "PUT", headers: signed.headers });
			if (!response.ok) throw new Error(`The bucket refused to copy an upload: status ${response.status}.`);
			await response.body?.cancel();
		},
	};
}

/** Formats an instant as ISO 8601, without separators and milliseconds: `20261122T061500Z`. */
function toAmzDate(ms: number): string {
	return toIso(ms).replace(/[:-]|\.\d{3}/g, "");
}
