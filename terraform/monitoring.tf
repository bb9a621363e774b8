locals {
  monitoring = merge(local.context, {
    api_id        = aws_apigatewayv2_api.webhook.id
    function_name = aws_lambda_function.webhook.function_name
  })
  alarms        = jsondecode(templatefile("${path.module}/alarms.json.tftpl", local.monitoring))
  policy_writes = jsondecode(templatefile("${path.module}/policy_writes.json.tftpl", local.monitoring))
  topics        = local.has_topic ? [var.alarm_topic_arn] : []
}

resource "aws_cloudwatch_metric_alarm" "webhook" {
  for_each            = local.alarms
  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.alarm_description
  namespace           = try(each.value.namespace, null)
  metric_name         = try(each.value.metric_name, null)
  dimensions          = try(each.value.dimensions, null)
  statistic           = try(each.value.statistic, null)
  extended_statistic  = try(each.value.extended_statistic, null)
  period              = try(each.value.period, null)
  evaluation_periods  = each.value.evaluation_periods
  datapoints_to_alarm = try(each.value.datapoints_to_alarm, null)
  threshold           = each.value.threshold
  comparison_operator = each.value.comparison_operator
  treat_missing_data  = try(each.value.treat_missing_data, null)
  alarm_actions       = try(each.value.has_alarm_action, false) ? local.topics : []
  ok_actions          = try(each.value.has_ok_action, false) ? local.topics : []
  tags                = local.tags

  dynamic "metric_query" {
    for_each = try(each.value.metric_query, [])
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

# A bundle and a policy decide which images run in all clusters: a message names each unexpected writer.
resource "aws_cloudwatch_event_rule" "policy_writes" {
  count         = length(var.policy_writer_arns) > 0 ? 1 : 0
  name          = "${var.name}-policy-writes"
  description   = local.policy_writes.description
  event_pattern = jsonencode(local.policy_writes.pattern)
  tags          = local.tags
  lifecycle {
    precondition {
      condition     = local.has_topic
      error_message = "policy_writer_arns requires alarm_topic_arn, the topic that gets the messages."
    }
  }
}

resource "aws_cloudwatch_event_target" "policy_writes" {
  count     = length(var.policy_writer_arns) > 0 ? 1 : 0
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
