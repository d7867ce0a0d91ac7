// Plays the loop with the client that ogen writes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"example.com/loop/client"
	"github.com/go-faster/jx"
	"github.com/google/uuid"
	"github.com/ogen-go/ogen/ogenerrors"
)

// credentials has the key of the agent, once it has one.
type credentials struct{ key string }

func (c *credentials) BearerApiKey(context.Context, client.OperationName) (client.BearerApiKey, error) {
	if c.key == "" {
		return client.BearerApiKey{}, ogenerrors.ErrSkipClientSecurity
	}
	return client.BearerApiKey{Token: c.key}, nil
}

func (c *credentials) BearerAdminToken(context.Context, client.OperationName) (client.BearerAdminToken, error) {
	return client.BearerAdminToken{}, ogenerrors.ErrSkipClientSecurity
}

func (c *credentials) BearerOperatorToken(context.Context, client.OperationName) (client.BearerOperatorToken, error) {
	return client.BearerOperatorToken{}, ogenerrors.ErrSkipClientSecurity
}

func (c *credentials) CsrfToken(context.Context, client.OperationName) (client.CsrfToken, error) {
	return client.CsrfToken{}, ogenerrors.ErrSkipClientSecurity
}

func (c *credentials) SessionCookie(context.Context, client.OperationName) (client.SessionCookie, error) {
	return client.SessionCookie{}, ogenerrors.ErrSkipClientSecurity
}

func (c *credentials) SignedUrl(context.Context, client.OperationName) (client.SignedUrl, error) {
	return client.SignedUrl{}, ogenerrors.ErrSkipClientSecurity
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns a success response. Each operation has one type for all of its responses.
func must[T any](response any, err error) T {
	check(err)
	value, ok := response.(T)
	if !ok {
		panic(fmt.Sprintf("%T: %+v", response, response))
	}
	return value
}

func main() {
	var given struct {
		Texts  map[string]string `json:"texts"`
		Base64 map[string]string `json:"base64"`
	}
	text, err := os.ReadFile(os.Getenv("FILES"))
	check(err)
	check(json.Unmarshal(text, &given))
	ctx := context.Background()
	security := &credentials{}
	api, err := client.NewClient(os.Getenv("BASE_URL"), security)
	check(err)
	registered, err := api.RegisterAnonymous(ctx, client.OptRegisterAnonymousReq{})
	me := must[*client.RegistrationResultHeaders](registered, err).Response
	security.key = me.APIKey

	list, err := api.ListTasks(ctx, client.ListTasksParams{Limit: client.NewOptInt32(100)})
	var listed *client.ListedTask
	for _, each := range must[*client.TaskListHeaders](list, err).Response.Data {
		if each.ID.String() == os.Getenv("TASK_ID") {
			listed = &each
		}
	}
	detail, err := api.GetTask(ctx, client.GetTaskParams{ID: listed.ID})
	task := must[*client.TaskDetailHeaders](detail, err).Response

	files := client.QuickSubmitRequestFiles{}
	for path, content := range given.Texts {
		files[path] = client.NewStringFileContent(content)
	}
	for path, content := range given.Base64 {
		file := client.FileContent1{Content: content}
		file.Encoding.SetTo(client.FileContent1EncodingBase64)
		files[path] = client.NewFileContent1FileContent(file)
	}
	request := &client.QuickSubmitRequest{Files: files}
	checked, err := api.CheckSubmission(ctx, request, client.CheckSubmissionParams{ID: task.ID})
	isOk := must[*client.CheckResultHeaders](checked, err).Response.Ok
	once := client.QuickSubmitParams{ID: task.ID, IdempotencyKey: client.NewOptString("once")}
	sent, err := api.QuickSubmit(ctx, request, once)
	submitted := must[*client.QueuedSubmissionHeaders](sent, err).Response
	read := func() client.Submission {
		answer, err := api.GetSubmission(ctx, client.GetSubmissionParams{ID: submitted.ID})
		return must[*client.SubmissionHeaders](answer, err).Response
	}
	submission := read()
	for !submission.Evaluated {
		time.Sleep(time.Second)
		submission = read()
	}
	answer, err := api.GetLeaderboard(ctx, client.GetLeaderboardParams{ID: task.ID})
	board := must[*client.LeaderboardHeaders](answer, err).Response
	value, _ := json.Marshal(map[string]uuid.UUID{"submission": submission.ID})
	stored, err := api.PutWorkspaceEntry(ctx, &client.PutWorkspaceEntryReq{Value: jx.Raw(value)}, client.PutWorkspaceEntryParams{Key: "last"})
	must[*client.WorkspaceEntryHeaders](stored, err)
	hooks, err := api.ListWebhooks(ctx, client.ListWebhooksParams{})
	webhooks := must[*client.WebhookListHeaders](hooks, err).Response
	unknown, err := api.GetTask(ctx, client.GetTaskParams{ID: me.AgentID})
	refused := must[*client.GetTaskNotFound](unknown, err).Response

	output, _ := json.Marshal(map[string]any{
		"key": me.APIKey, "task_id": task.ID, "budget_cents": listed.BudgetCents, "ok": isOk, "submission_id": submission.ID,
		"rank": board.Me.Value.Rank, "webhooks": len(webhooks.Data), "code": refused.Error.Code,
	})
	fmt.Println(string(output))
}
