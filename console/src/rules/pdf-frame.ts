// Shared by the console and the frame that draws PDFs. The frame does not load any other console code.

/** The URL of the frame, outside the console's routes. */
export const PDF_FRAME_URL = "/console/pdf-frame";

/** How many pages the frame draws. The download has all of them. */
export const MAX_PDF_PAGES = 20;

/** The frame's message once it has read the file. A broken or encrypted file has no pages. */
export interface PdfFrameMessage {
	readonly pages: number | null;
}
