// Checks and submits files, by the way that fits their size. A failed attempt goes on where it stopped, so that it uses one slot only.
import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { fetchWithProgress } from "../../api/upload.ts";
import { type PickedFile, toFilesBody } from "../../platform/read-files.ts";
import { chooseWay, MAX_CHECKED_ZIP_BYTES, MAX_ZIP_BYTES } from "../../rules/submitting.ts";
import { taskKey } from "../task/queries.ts";
import { ownSubmissionsKey } from "./queries.ts";

type Files = readonly PickedFile[];

/** Null for files that are too large to be checked. */
export type Check = UseMutationResult<Schemas["CheckResult"] | null, Error, Files>;

interface Phase {
	readonly step: "packing" | "uploading" | "starting";
	/** From 0 to 1; null while it is not known. */
	readonly share: number | null;
}

/** What is done already for the present files. */
interface Attempt {
	/** Makes a repeated request the same submission. */
	readonly key: string;
	zip?: Blob;
	submissionId?: string;
	isUploaded?: boolean;
}

type OnPhase = (phase: Phase) => void;

const newAttempt = (): Attempt => ({ key: crypto.randomUUID() });

export function useSubmitting(taskId: string) {
	const [phase, setPhase] = useState<Phase | null>(null);
	const attempt = useRef<Attempt>(newAttempt());
	const queries = useQueryClient();
	/** Runs work on the present files. What still runs for files that were replaced shows nothing. */
	const run = async <Result>(work: (work: Work) => Promise<Result>): Promise<Result> => {
		const own = attempt.current;
		const onPhase = (phase: Phase | null) => attempt.current === own && setPhase(phase);
		try {
			return await work({ attempt: own, onPhase });
		} finally {
			onPhase(null);
		}
	};
	const checking = useMutation({ mutationFn: (files: Files) => run((work) => checkFiles(taskId, files, work)) });
	const sending = useMutation({
		mutationFn: (files: Files) => run((work) => submitFiles(taskId, files, work)),
		onSuccess: () =>
			Promise.all(
				[taskKey(taskId), ownSubmissionsKey(taskId), ["my-submissions"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
			),
	});
	return {
		checking,
		sending,
		phase,
		check: (files: Files) => checking.mutate(files),
		/** The id of the new submission; null if sending failed, which `sending` explains. */
		send: (files: Files): Promise<string | null> => sending.mutateAsync(files).catch(() => null),
		/** Other files are another attempt. */
		forget: () => {
			attempt.current = newAttempt();
			setPhase(null);
			checking.reset();
			sending.reset();
		},
	};
}

interface Work {
	readonly attempt: Attempt;
	readonly onPhase: OnPhase;
}

async function checkFiles(taskId: string, files: Files, work: Work): Promise<Schemas["CheckResult"] | null> {
	const params = { path: { id: taskId } };
	if (chooseWay(files.map(({ file }) => file.size)) === "request")
		return unwrap(api.POST("/api/v1/tasks/{id}/check", { params, body: { files: await toFilesBody(files) } }));
	const zip = await packOnce(files, work);
	if (zip.size > MAX_CHECKED_ZIP_BYTES) return null;
	return unwrap(api.POST("/api/v1/tasks/{id}/check", { params, ...zipBody(zip, work.onPhase) }));
}

async function submitFiles(taskId: string, files: Files, work: Work): Promise<string> {
	const params = { path: { id: taskId } };
	if (chooseWay(files.map(({ file }) => file.size)) === "request") {
		const header = { "Idempotency-Key": work.attempt.key };
		const body = { files: await toFilesBody(files) };
		const fetch = fetchWithProgress(uploading(work.onPhase));
		return (await unwrap(api.POST("/api/v1/tasks/{id}/quick-submit", { params: { ...params, header }, body, fetch }))).id;
	}
	const zip = await packOnce(files, work);
	const { attempt, onPhase } = work;
	attempt.submissionId ??= (await unwrap(api.POST("/api/v1/tasks/{id}/submissions", { params, body: {} }))).id;
	const submission = { path: { id: attempt.submissionId } };
	if (attempt.isUploaded !== true)
		await unwrap(api.POST("/api/v1/submissions/{id}/upload", { params: submission, ...zipBody(zip, onPhase) }));
	attempt.isUploaded = true;
	onPhase({ step: "starting", share: null });
	await unwrap(api.POST("/api/v1/submissions/{id}/complete", { params: submission }));
	return attempt.submissionId;
}

async function packOnce(files: Files, { attempt, onPhase }: Work): Promise<Blob> {
	const { packZip } = await import("../../platform/pack-zip.ts");
	attempt.zip ??= await packZip(files, (share) => onPhase({ step: "packing", share }));
	if (attempt.zip.size > MAX_ZIP_BYTES) throw new Error("The zip is larger than 100 MB. Leave out what the judge does not need.");
	return attempt.zip;
}

/** A zip as the body of a request. The API's types describe bytes as text, so the serializer puts the bytes in. */
function zipBody(zip: Blob, onPhase: OnPhase) {
	return {
		body: "",
		bodySerializer: () => zip,
		headers: { "Content-Type": "application/zip" },
		fetch: fetchWithProgress(uploading(onPhase)),
	};
}

/** When all is sent, the platform still has to take it in. */
const uploading = (onPhase: OnPhase) => (share: number) =>
	onPhase(share < 1 ? { step: "uploading", share } : { step: "starting", share: null });
