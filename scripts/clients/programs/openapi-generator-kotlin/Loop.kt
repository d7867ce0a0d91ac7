// Plays the loop with the client that openapi-generator writes for Kotlin.
import java.io.File
import java.util.UUID
import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.*
import org.openapitools.client.models.*

data class Given(val texts: Map<String, String>, val base64: Map<String, String>)

data class Result(
    val key: String, val task_id: String, val budget_cents: Long, val ok: Boolean, val submission_id: String, val rank: Long,
    val webhooks: Int, val code: String,
)

fun main() {
    val moshi = Serializer.moshi
    val given = moshi.adapter(Given::class.java).fromJson(File(System.getenv("FILES")).readText())!!
    val url = System.getenv("BASE_URL")
    val me = IdentityApi(url).registerAnonymous()
    ApiClient.accessToken = me.apiKey
    val tasks = TasksApi(url)
    val submissions = SubmissionsApi(url)

    val listed = tasks.listTasks(limit = 100).data.first { it.id == UUID.fromString(System.getenv("TASK_ID")) }
    val task = tasks.getTask(listed.id)

    val files = given.texts.mapValues { FileContent(it.value) } +
        given.base64.mapValues { FileContent(it.value, FileContent.Encoding.base64) }
    val request = QuickSubmitRequest(files)
    val check = submissions.checkSubmission(task.id, request)
    val submitted = submissions.quickSubmit(task.id, request, "once")
    var submission = submissions.getSubmission(submitted.id)
    while (!submission.evaluated) {
        Thread.sleep(1000)
        submission = submissions.getSubmission(submitted.id)
    }
    val board = LeaderboardApi(url).getLeaderboard(task.id)
    WorkspaceApi(url).putWorkspaceEntry("last", PutWorkspaceEntryRequest(mapOf("submission" to submission.id.toString())))
    val webhooks = WebhooksApi(url).listWebhooks()
    val refused = runCatching { tasks.getTask(me.agentId) }.exceptionOrNull() as ClientException
    check(refused.statusCode == 404)
    val body = (refused.response as ClientError<*>).body as String
    val code = moshi.adapter(ErrorResponse::class.java).fromJson(body)!!.error.code
    val result = Result(
        me.apiKey, task.id.toString(), listed.budgetCents, check.ok, submission.id.toString(), board.me!!.rank, webhooks.data.size, code,
    )
    println(moshi.adapter(Result::class.java).toJson(result))
}
