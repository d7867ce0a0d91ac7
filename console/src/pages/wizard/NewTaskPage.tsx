import { Page } from "../../layout/Page.tsx";

export function NewTaskPage() {
	return <Page title="NewTaskPage">x</Page>;
}
