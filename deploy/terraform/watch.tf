# The watch: synthetic reviews, silent clusters, and old tokens.
locals {
  schedules = {
    reviews = {
      description = "Synthetic reviews of podgraft"
      schedule    = "rate(5 minutes)"
      input       = "{\"check\":\"reviews\"}"
    }
    clusters = {
      description = "Silent clusters and old tokens of podgraft"
      schedule    = "rate(1 hour)"
      input       = "{\"check\":\"clusters\"}"
    }
  }
  watch_permissions = jsondecode(templatefile("${path.module}/watch_permissions.json.tftpl", local.monitoring))
}

resource "aws_lambda_function" "watch" {
  function_name           = "${var.name}-watch"
  description             = "Sends synthetic reviews and finds silent clusters"
  filename                = var.archives.watch
  source_code_hash        = filebase64sha256(var.archives.watch)
  handler                 = "watch.handler"
  role                    = aws_iam_role.watch.arn
  runtime                 = var.runtime
  architectures           = [var.architecture]
  memory_size             = 256
  timeout                 = 60
  code_signing_config_arn = local.conditions.has_code_signing ? var.code_signing_config_arn : null
  tags                    = local.tags

  environment {
    variables = jsondecode(templatefile("${path.module}/watch_environment.json.tftpl", local.monitoring))
  }
  logging_config {
    log_group        = aws_cloudwatch_log_group.watch.name
    log_format       = "JSON"
    system_log_level = "WARN"
  }
  depends_on = [aws_iam_role_policy.watch]
}

resource "aws_iam_role" "watch" {
  name_prefix          = "${substr(var.name, 0, 30)}-watch-"
  description          = "Permissions of the watch"
  permissions_boundary = local.conditions.has_permissions_boundary ? var.permissions_boundary_arn : null
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
  tags = local.tags
}

resource "aws_iam_role_policy" "watch" {
  name   = "watch"
  role   = aws_iam_role.watch.id
  policy = jsonencode(local.watch_permissions.watch)
}

resource "aws_cloudwatch_log_group" "watch" {
  name              = "/aws/lambda/${var.name}-watch"
  retention_in_days = var.log_retention_days
  kms_key_id        = local.conditions.has_kms_key ? var.kms_key_arn : null
  tags              = local.tags
}

resource "aws_cloudwatch_event_rule" "watch" {
  for_each            = local.schedules
  name                = "${var.name}-watch-${each.key}"
  description         = each.value.description
  schedule_expression = each.value.schedule
  tags                = local.tags
}

resource "aws_cloudwatch_event_target" "watch" {
  for_each  = local.schedules
  rule      = aws_cloudwatch_event_rule.watch[each.key].name
  target_id = "watch"
  arn       = aws_lambda_function.watch.arn
  input     = each.value.input
}

resource "aws_lambda_permission" "watch" {
  for_each      = local.schedules
  function_name = aws_lambda_function.watch.function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.watch[each.key].arn
}
