// URLs of the built files that pages load. site/public-assets.ts writes them, and the layout reads them.
import * as z from "zod";

export const pageFiles = z.object({
	styles: z.string(),
	/** Shows the stored theme before the page appears. */
	theme: z.string(),
	script: z.string(),
	/** The typeface, which pages load before the style sheet asks for it. */
	font: z.string(),
	icon: z.string(),
	/** A PNG of 1200 by 630, because social networks show no SVG. */
	card: z.string(),
});

export type PageFiles = z.output<typeof pageFiles>;
