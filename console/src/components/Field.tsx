// Fields of forms connect label, hint and error to the control for screen readers.
import type { ReactNode } from "react";
import {
	Button as AriaButton,
	FieldError,
	Input,
	Label,
	ListBox,
	ListBoxItem,
	Popover,
	Select,
	SelectValue,
	Text,
	TextArea,
	TextField,
} from "react-aria-components";

interface FieldProps {
	readonly label: string;
	readonly value: string;
	readonly onChange: (value: string) => void;
	/** One sentence below the label that explains the field. */
	readonly hint?: ReactNode;
	/** Why the value is rejected. Null or undefined while it is valid. */
	readonly error?: string | null | undefined;
	readonly isRequired?: boolean;
	readonly isDisabled?: boolean;
	/** If true, only screen readers get the label, because everyone else sees it in a heading or a table. */
	readonly hidesLabel?: boolean;
}

interface TextInputProps extends FieldProps {
	readonly type?: "text" | "url" | "password" | "datetime-local" | "search";
	readonly inputMode?: "decimal" | "numeric" | "text";
	readonly autoComplete?: string;
	readonly maxLength?: number;
	readonly placeholder?: string;
	/** Text before or after the value, such as a unit. */
	readonly before?: string;
	readonly after?: string;
	readonly isMono?: boolean;
	readonly autoFocus?: boolean;
}

function Shell({
	label,
	hint,
	error,
	hidesLabel = false,
	isRequired = false,
	children,
}: Pick<FieldProps, "label" | "hint" | "error" | "hidesLabel" | "isRequired"> & { readonly children: ReactNode }) {
	return (
		<>
			<Label className={hidesLabel ? "hidden" : "label"}>
				{label}
				{!isRequired || hidesLabel ? null : <span className="required"> required</span>}
			</Label>
			{hint !== undefined && (
				<Text slot="description" className="hint">
					{hint}
				</Text>
			)}
			{children}
			<FieldError className="field-error">{error}</FieldError>
		</>
	);
}

function fieldProps({ value, onChange, error, isRequired = false, isDisabled = false }: FieldProps) {
	return {
		className: "field",
		value,
		onChange,
		isDisabled,
		"aria-required": isRequired,
		isInvalid: typeof error === "string",
		validationBehavior: "aria",
	} as const;
}

/** Shows a field for one line of text. */
export function TextInput(props: TextInputProps) {
	const {
		type = "text",
		inputMode,
		autoComplete = "off",
		maxLength,
		placeholder,
		before,
		after,
		isMono = false,
		autoFocus = false,
	} = props;
	return (
		<TextField
			{...fieldProps(props)}
			type={type}
			autoComplete={autoComplete}
			autoFocus={autoFocus}
			{...(inputMode === undefined ? {} : { inputMode })}
			{...(maxLength === undefined ? {} : { maxLength })}
		>
			<Shell {...props}>
				<span className={isMono ? "input-frame mono" : "input-frame"}>
					{before !== undefined && <span className="unit">{before}</span>}
					<Input className="input" {...(placeholder === undefined ? {} : { placeholder })} />
					{after !== undefined && <span className="unit">{after}</span>}
				</span>
			</Shell>
		</TextField>
	);
}

interface LongTextInputProps extends FieldProps {
	/** The control's name for scripts, which move the focus by key. */
	readonly name?: string;
	readonly rows?: number;
	readonly maxLength?: number;
	readonly placeholder?: string;
	readonly isMono?: boolean;
	readonly autoFocus?: boolean;
}

const TALL_ROWS = 8;

/** Shows a field for several lines of text. It grows with its text. */
export function LongTextInput(props: LongTextInputProps) {
	const { name, rows = 4, maxLength, placeholder, isMono = false, autoFocus = false } = props;
	return (
		<TextField
			{...fieldProps(props)}
			autoFocus={autoFocus}
			{...(maxLength === undefined ? {} : { maxLength })}
			{...(name === undefined ? {} : { name })}
		>
			<Shell {...props}>
				<TextArea
					className={`input textarea${isMono ? " mono" : ""}${rows >= TALL_ROWS ? " textarea-tall" : ""}`}
					rows={rows}
					{...(placeholder === undefined ? {} : { placeholder })}
				/>
			</Shell>
		</TextField>
	);
}

interface ChoiceProps<Id extends string> {
	readonly label: string;
	readonly value: Id;
	readonly options: readonly { readonly id: Id; readonly label: string }[];
	readonly onChange: (value: Id) => void;
	readonly hint?: ReactNode;
	readonly hidesLabel?: boolean;
}

/** A menu of a few values, one of which is chosen. */
export function Choice<Id extends string>({ label, value, options, onChange, hint, hidesLabel = false }: ChoiceProps<Id>) {
	const choose = (key: unknown) => {
		const option = options.find(({ id }) => id === key);
		if (option !== undefined) onChange(option.id);
	};
	return (
		<Select className="field" selectedKey={value} onSelectionChange={choose}>
			<Shell label={label} hint={hint} hidesLabel={hidesLabel}>
				<AriaButton className="button button-plain select-button">
					<SelectValue />
					<span aria-hidden="true">▾</span>
				</AriaButton>
				<Popover className="popover">
					<ListBox className="menu">
						{options.map(({ id, label: text }) => (
							<ListBoxItem key={id} id={id} className="menu-item" textValue={text}>
								{text}
							</ListBoxItem>
						))}
					</ListBox>
				</Popover>
			</Shell>
		</Select>
	);
}
