// Shows a PDF of a submission in the browser's own viewer, which is a separate process without access to the console and its session.
// Browsers show no PDF in a frame with the attribute sandbox, so the frame has none. The bytes are labelled as a PDF, so nothing in them
// becomes a page.
import { useEffect, useState } from "react";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Loading } from "../../components/Progress.tsx";
import { saveFile } from "../../platform/save-file.ts";
import { nameOfPath, showHidden } from "../../rules/text.ts";

interface PdfPreviewProps {
	readonly path: string;
	readonly bytes: Blob;
}

export function PdfPreview({ path, bytes }: PdfPreviewProps) {
	const [url, setUrl] = useState<string | null>(null);
	useEffect(() => {
		const made = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
		setUrl(made);
		return () => URL.revokeObjectURL(made);
	}, [bytes]);
	const size = formatBytes(bytes.size);
	if (!navigator.pdfViewerEnabled)
		return (
			<EmptyState title={`This browser has no viewer for PDFs. The file has ${size}; download it to open it in another program.`}>
				<Button kind="primary" onPress={() => saveFile(nameOfPath(path), bytes)}>
					Download the PDF
				</Button>
			</EmptyState>
		);
	if (url === null) return <Loading label="Loading the PDF" />;
	return (
		<>
			<iframe className="preview preview-pdf" src={url} title={`PDF ${showHidden(path)}`} />
			<p className="soft">
				{size}, in the viewer of this browser, apart from the console. The judge reads no PDF: download it if the frame stays empty.
			</p>
		</>
	);
}
