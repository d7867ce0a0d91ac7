import { Page } from "../../layout/Page.tsx";

export function EditTaskPage() {
	return <Page title="EditTaskPage">x</Page>;
}
