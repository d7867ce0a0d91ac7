// The built files that pages load. site/public-assets.ts writes their URLs, and the layout reads them.
import * as z from "zod";

export const pageFiles = z.object({
	styles: z.string(),
	/** This script shows the stored theme before the page appears. */
	theme: z.string(),
	script: z.string(),
	/** The typeface, which pages preload. */
	font: z.string(),
	icon: z.string(),
	/** The card is a PNG of 1200 by 630 pixels, because social networks do not show SVG. */
	card: z.string(),
});

export type PageFiles = z.output<typeof pageFiles>;
