locals {
  monitoring = merge(local.context, {
    alias_arn           = aws_lambda_alias.live.arn
    api_endpoint        = aws_apigatewayv2_api.webhook.api_endpoint
    api_id              = aws_apigatewayv2_api.webhook.id
    cleanup_name        = aws_lambda_function.cleanup.function_name
    function_name       = aws_lambda_function.webhook.function_name
    guard_arn           = aws_lambda_function.guard.arn
    guard_name          = aws_lambda_function.guard.function_name
    guard_log_group_arn = "${aws_cloudwatch_log_group.guard.arn}:*"
    rotation_name       = join("", aws_lambda_function.rotation[*].function_name)
    watch_log_group_arn = "${aws_cloudwatch_log_group.watch.arn}:*"
  })
  alarms        = jsondecode(templatefile("${path.module}/alarms.json.tftpl", local.monitoring))
  policy_writes = jsondecode(templatefile("${path.module}/policy_writes.json.tftpl", local.monitoring))
  queries       = jsondecode(templatefile("${path.module}/queries.json.tftpl", local.context))
  topics        = local.conditions.has_topic ? [var.alarm_topic_arn] : []
}

resource "aws_cloudwatch_metric_alarm" "webhook" {
  for_each            = toset([for name, is_created in local.alarm_conditions : name if is_created])
  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = local.alarms[each.key].alarm_description
  namespace           = try(local.alarms[each.key].namespace, null)
  metric_name         = try(local.alarms[each.key].metric_name, null)
  dimensions          = try(local.alarms[each.key].dimensions, null)
  statistic           = try(local.alarms[each.key].statistic, null)
  extended_statistic  = try(local.alarms[each.key].extended_statistic, null)
  period              = try(local.alarms[each.key].period, null)
  evaluation_periods  = local.alarms[each.key].evaluation_periods
  datapoints_to_alarm = try(local.alarms[each.key].datapoints_to_alarm, null)
  threshold           = local.alarms[each.key].threshold
  comparison_operator = local.alarms[each.key].comparison_operator
  treat_missing_data  = try(local.alarms[each.key].treat_missing_data, null)
  alarm_actions = concat(
    try(local.alarms[each.key].has_guard_action, false) ? [aws_lambda_function.guard.arn] : [],
    try(local.alarms[each.key].has_alarm_action, false) ? local.topics : [],
  )
  ok_actions = try(local.alarms[each.key].has_ok_action, false) ? local.topics : []
  tags       = local.tags

  dynamic "metric_query" {
    for_each = try(local.alarms[each.key].metric_query, [])
    content {
      id          = metric_query.value.id
      expression  = try(metric_query.value.expression, null)
      label       = try(metric_query.value.label, null)
      period      = try(metric_query.value.period, null)
      return_data = try(metric_query.value.return_data, null)
      dynamic "metric" {
        for_each = try([metric_query.value.metric], [])
        content {
          dimensions  = metric.value.dimensions
          metric_name = metric.value.metric_name
          namespace   = metric.value.namespace
          period      = metric.value.period
          stat        = metric.value.stat
        }
      }
    }
  }
}

# API Gateway counts its own 429 among all 4xx. It calls no integration for them.
resource "aws_cloudwatch_log_metric_filter" "api_throttles" {
  name           = "${var.name}-api-throttles"
  log_group_name = aws_cloudwatch_log_group.api.name
  pattern        = "{ $.status = \"429\" && $.integration = \"-\" }"
  metric_transformation {
    namespace  = "podgraft"
    name       = "api_throttled_total"
    value      = "1"
    unit       = "Count"
    dimensions = { service = "$.service" }
  }
}

# The saved queries of docs/runbook.md.
resource "aws_cloudwatch_query_definition" "webhook" {
  for_each        = local.queries
  name            = each.value.name
  log_group_names = each.value.log_group_names
  query_string    = each.value.query_string
}

# A bundle and a policy decide which images run in all clusters: a message names each unexpected writer.
resource "aws_cloudwatch_event_rule" "policy_writes" {
  count         = local.conditions.has_policy_writers ? 1 : 0
  name          = "${var.name}-policy-writes"
  description   = local.policy_writes.description
  event_pattern = jsonencode(local.policy_writes.pattern)
  tags          = local.tags
  lifecycle {
    precondition {
      condition     = local.conditions.has_topic
      error_message = "policy_writer_arns requires alarm_topic_arn, the topic that gets the messages."
    }
    precondition {
      condition     = length(jsonencode(local.policy_writes.pattern)) <= 2048
      error_message = "policy_writer_arns is too long: EventBridge accepts an event pattern of 2048 characters; use * for parts of ARNs."
    }
  }
}

resource "aws_cloudwatch_event_target" "policy_writes" {
  count     = local.conditions.has_policy_writers ? 1 : 0
  rule      = aws_cloudwatch_event_rule.policy_writes[0].name
  target_id = "topic"
  arn       = var.alarm_topic_arn
  input_transformer {
    input_paths    = local.policy_writes.paths
    input_template = local.policy_writes.message
  }
}

resource "aws_cloudwatch_dashboard" "webhook" {
  dashboard_name = "${var.name}-${local.region}"
  dashboard_body = templatefile("${path.module}/dashboard.json.tftpl", local.monitoring)
}
