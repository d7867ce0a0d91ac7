// The console and the frame that draws PDFs agree on these. The frame loads no other code of the console.

/** The frame is at this URL, outside the routes of the console. */
export const PDF_FRAME_URL = "/console/pdf-frame";

/** More pages of one file are only in the download. */
export const MAX_PDF_PAGES = 20;

/** The frame says this once it has read the file. A broken or encrypted file has no pages. */
export interface PdfFrameMessage {
	readonly pages: number | null;
}
