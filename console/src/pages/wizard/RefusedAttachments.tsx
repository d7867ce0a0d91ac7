import { describeConversion } from "../../../../src/domain/attachment-types.ts";

/** Says how to convert each file of an unsupported type. */
export function RefusedAttachments({ names }: { readonly names: readonly string[] }) {
	return (
		<div className="notice notice-error" role="alert">
			<p className="notice-title">{names.length === 1 ? "This file was not attached." : "These files were not attached."}</p>
			<ul>
				{names.map((name) => (
					<li key={name}>
						<bdi>{name}</bdi>: {describeConversion(name)}
					</li>
				))}
			</ul>
		</div>
	);
}
