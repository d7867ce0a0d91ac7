// Shows a PDF in a sandboxed frame, which draws the pages and cannot access the console or its session.
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Loading } from "../../components/Progress.tsx";
import { saveFile } from "../../platform/save-file.ts";
import { MAX_PDF_PAGES, PDF_FRAME_URL, type PdfFrameMessage } from "../../rules/pdf-frame.ts";
import { nameOfPath, showHidden } from "../../rules/text.ts";

const pdfFrameMessage = z.object({ pages: z.nullable(z.int()) });

interface PdfPreviewProps {
	readonly path: string;
	readonly bytes: Blob;
}

export function PdfPreview({ path, bytes }: PdfPreviewProps) {
	const frame = useRef<HTMLIFrameElement>(null);
	const [shown, setShown] = useState<PdfFrameMessage | null>(null);
	useEffect(() => {
		const listen = ({ source, data }: MessageEvent<unknown>) => {
			if (source === frame.current?.contentWindow) setShown(pdfFrameMessage.safeParse(data).data ?? null);
		};
		addEventListener("message", listen);
		return () => removeEventListener("message", listen);
	}, []);
	if (shown?.pages === null)
		return (
			<EmptyState title="This file could not be read as a PDF: it is broken or encrypted.">
				<Button kind="primary" onPress={() => saveFile(nameOfPath(path), bytes)}>
					Download the file
				</Button>
			</EmptyState>
		);
	const handOver = async () => {
		const buffer = await bytes.arrayBuffer();
		// A sandboxed frame has an opaque origin, so no target origin can be named here.
		frame.current?.contentWindow?.postMessage(buffer, "*", [buffer]);
	};
	return (
		<>
			{shown === null && <Loading label="Loading the PDF" />}
			<iframe
				ref={frame}
				className="preview preview-pdf"
				sandbox="allow-scripts"
				src={PDF_FRAME_URL}
				title={`PDF ${showHidden(path)}`}
				onLoad={() => void handOver()}
			/>
			<p className="soft">
				{formatBytes(bytes.size)}
				{shown !== null && `, ${describePages(shown.pages)}`}, in a frame without access to the console. The judge does not read PDFs.
				Download the file to follow its links, or if something is missing.
			</p>
		</>
	);
}

function describePages(pages: number): string {
	if (pages > MAX_PDF_PAGES) return `the first ${MAX_PDF_PAGES} of ${pages} pages`;
	return pages === 1 ? "1 page" : `${pages} pages`;
}
