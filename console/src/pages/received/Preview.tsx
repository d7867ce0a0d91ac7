// Shows a picture from a submission in a frame without scripts, requests or the console's origin.
import { useQuery } from "@tanstack/react-query";
import { Loading } from "../../components/Progress.tsx";
import type { PictureType } from "../../rules/files.ts";
import { showHidden } from "../../rules/text.ts";

interface PreviewProps {
	readonly path: string;
	readonly type: PictureType;
	readonly bytes: Blob;
}

export function Preview({ path, type, bytes }: PreviewProps) {
	const { data: picture } = useQuery({
		queryKey: ["picture", path, bytes.size, bytes],
		queryFn: async () => (await bytes.bytes()).toBase64(),
		gcTime: 0,
	});
	if (picture === undefined) return <Loading label="Loading the picture" />;
	// The frame contains only our own markup and base64, so nothing in the submission becomes markup.
	const html = `<!doctype html><title>Picture</title><body><img src="data:${type};base64,${picture}" width="100%" alt="">`;
	return <iframe className="preview" sandbox="" srcDoc={html} title={`Picture ${showHidden(path)}`} />;
}
