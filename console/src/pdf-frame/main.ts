// Draws the pages of a PDF in a frame that the console sandboxes. The frame has an opaque origin, so a PDF that exploits a bug in the
// parser can reach neither the session nor the console's page. The frame receives the bytes in a message, and reports what it shows.
import { getDocument, type PDFDocumentProxy, type PDFPageProxy, PDFWorker, VerbosityLevel } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import jbig2Url from "pdfjs-dist/wasm/jbig2.wasm?url";
import openjpegUrl from "pdfjs-dist/wasm/openjpeg.wasm?url";
import qcmsUrl from "pdfjs-dist/wasm/qcms_bg.wasm?url";
import { MAX_PDF_PAGES, type PdfFrameMessage } from "../rules/pdf-frame.ts";
import "./frame.css";

/** The maximum pixels of a page's canvas. */
const MAX_CANVAS_PIXELS = 4_000_000;
const MAX_IMAGE_PIXELS = 32_000_000;
/** Pages within this distance outside the view are already drawn. */
const DRAWN_AHEAD = "600px";

/** The decoders of image formats that scanned documents use. */
const DECODERS = new Map([
	["jbig2.wasm", jbig2Url],
	["openjpeg.wasm", openjpegUrl],
	["qcms_bg.wasm", qcmsUrl],
]);

class Decoders {
	async fetch({ filename }: { readonly filename: string }): Promise<Uint8Array> {
		const url = DECODERS.get(filename);
		if (url === undefined) throw new Error(`${filename} is not part of the console.`);
		return (await fetch(url)).bytes();
	}
}

/**
 * Starts the parser in a worker, and waits for its first message, because messages to it before that would be lost. With its opaque origin,
 * the frame cannot start a worker from a URL of the platform, but a worker from a blob can import that URL. In Chromium such a worker
 * cannot be a module, so the import is dynamic.
 */
function startWorker(): Promise<Worker> {
	const program = `import(${JSON.stringify(new URL(workerUrl, location.href).href)}).catch(reportError);`;
	const worker = new Worker(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
	return new Promise((resolve, reject) => {
		worker.addEventListener("message", () => resolve(worker), { once: true });
		worker.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
	});
}

function tellConsole(message: PdfFrameMessage): void {
	// The console's origin is unknown here. Only pages of the platform may contain this frame.
	parent.postMessage(message, "*");
}

async function showPdf(data: ArrayBuffer): Promise<void> {
	const verbosity = VerbosityLevel.ERRORS;
	const worker = PDFWorker.create({ port: await startWorker(), verbosity });
	const pictures = { maxImageSize: MAX_IMAGE_PIXELS, BinaryDataFactory: Decoders, useWorkerFetch: false, wasmUrl: "decoders/" };
	const pdf = await getDocument({ data, worker, verbosity, ...pictures }).promise;
	const count = Math.min(pdf.numPages, MAX_PDF_PAGES);
	await addPages(pdf, count);
	tellConsole({ pages: pdf.numPages });
}

async function addPages(pdf: PDFDocumentProxy, count: number): Promise<void> {
	const main = document.querySelector("main");
	if (main === null) return;
	// Without a tab stop, the keyboard could not scroll the frame.
	main.tabIndex = 0;
	const pages = new Map<Element, PDFPageProxy>();
	const watcher = new IntersectionObserver(
		(entries) => {
			for (const { target, isIntersecting } of entries) {
				const page = pages.get(target);
				if (!isIntersecting || page === undefined || !(target instanceof HTMLCanvasElement)) continue;
				watcher.unobserve(target);
				void drawPage(page, target);
			}
		},
		{ rootMargin: DRAWN_AHEAD },
	);
	for (let number = 1; number <= count; number += 1) {
		const page = await pdf.getPage(number);
		const canvas = document.createElement("canvas");
		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", `Page ${number} of ${pdf.numPages}`);
		const { width, height } = page.getViewport({ scale: 1 });
		const scale = Math.min(main.clientWidth * (devicePixelRatio / width), Math.sqrt(MAX_CANVAS_PIXELS / (width * height)));
		canvas.width = Math.max(1, Math.floor(width * scale));
		canvas.height = Math.max(1, Math.floor(height * scale));
		main.append(canvas);
		pages.set(canvas, page);
		watcher.observe(canvas);
	}
}

/** Draws a page, and adds its text for screen readers. */
async function drawPage(page: PDFPageProxy, canvas: HTMLCanvasElement): Promise<void> {
	const viewport = page.getViewport({ scale: canvas.width / page.getViewport({ scale: 1 }).width });
	try {
		await page.render({ canvas, viewport }).promise;
		const { items } = await page.getTextContent();
		const text = document.createElement("p");
		text.className = "text";
		text.textContent = items.map((item) => ("str" in item ? item.str : "")).join(" ");
		canvas.after(text);
	} catch {
		const fault = document.createElement("p");
		fault.className = "fault";
		fault.textContent = `${canvas.getAttribute("aria-label")} could not be drawn.`;
		canvas.replaceWith(fault);
	}
}

addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
	if (source !== parent || !(data instanceof ArrayBuffer)) return;
	showPdf(data).catch(() => tellConsole({ pages: null }));
});
