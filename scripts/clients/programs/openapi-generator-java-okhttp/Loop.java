// Plays the loop with the client that openapi-generator writes for Java with OkHttp and Gson.
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Loop {
    public static void main(String[] arguments) throws Exception {
        JsonObject given = new Gson().fromJson(Files.readString(Path.of(System.getenv("FILES"))), JsonObject.class);
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("BASE_URL"));
        RegistrationResult me = new IdentityApi(client).registerAnonymous(null);
        client.setBearerToken(me.getApiKey());
        TasksApi tasks = new TasksApi(client);
        SubmissionsApi submissions = new SubmissionsApi(client);

        UUID wanted = UUID.fromString(System.getenv("TASK_ID"));
        ListedTask listed = tasks.listTasks(null, null, null, null, null, 100, null, null).getData().stream()
            .filter(task -> task.getId().equals(wanted)).findFirst().orElseThrow();
        TaskDetail task = tasks.getTask(listed.getId(), null, null, null);

        Map<String, FileContent> files = new HashMap<>();
        given.getAsJsonObject("texts").asMap().forEach((path, text) -> files.put(path, new FileContent(text.getAsString())));
        given.getAsJsonObject("base64").asMap().forEach((path, bytes) -> files.put(path, new FileContent(
            new FileObject().content(bytes.getAsString()).encoding(FileObject.EncodingEnum.BASE64))));
        QuickSubmitRequest request = new QuickSubmitRequest().files(files);
        CheckResult check = submissions.checkSubmission(task.getId(), request);
        UUID submissionId = submissions.quickSubmit(task.getId(), request, "once").getId();
        Submission submission = submissions.getSubmission(submissionId, null, null, null);
        while (!submission.getEvaluated()) {
            Thread.sleep(1000);
            submission = submissions.getSubmission(submissionId, null, null, null);
        }
        Leaderboard board = new LeaderboardApi(client).getLeaderboard(task.getId(), null, null, null, null, null);
        PutWorkspaceEntryRequest note = new PutWorkspaceEntryRequest().value(Map.of("submission", submissionId.toString()));
        new WorkspaceApi(client).putWorkspaceEntry("last", note, null, null);
        WebhookList webhooks = new WebhooksApi(client).listWebhooks(null, null, null);

        String code;
        try {
            tasks.getTask(me.getAgentId(), null, null, null);
            throw new AssertionError("an unknown task was found");
        } catch (ApiException refused) {
            if (refused.getCode() != 404) throw refused;
            code = JSON.getGson().fromJson(refused.getResponseBody(), ErrorResponse.class).getError().getCode();
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("key", me.getApiKey());
        result.put("task_id", task.getId().toString());
        result.put("budget_cents", listed.getBudgetCents());
        result.put("ok", check.getOk());
        result.put("submission_id", submission.getId().toString());
        result.put("rank", board.getMe().getRank());
        result.put("webhooks", webhooks.getData().size());
        result.put("code", code);
        System.out.println(new Gson().toJson(result));
    }
}
