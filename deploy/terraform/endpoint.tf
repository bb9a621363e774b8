resource "aws_apigatewayv2_api" "webhook" {
  name          = var.name
  description   = "Admission webhooks of Kubernetes clusters"
  protocol_type = "HTTP"
  # With mutual TLS on the custom domain, the domain of the API would bypass it.
  disable_execute_api_endpoint = local.conditions.has_truststore || !local.conditions.has_public_endpoint
  tags                         = local.tags
  lifecycle {
    precondition {
      condition     = !local.conditions.has_truststore || local.conditions.has_domain
      error_message = "truststore_uri requires domain_name, because the module disables the domain of the API."
    }
    precondition {
      condition     = !local.conditions.has_truststore || var.truststore_version != ""
      error_message = "truststore_uri requires truststore_version, because API Gateway reads the file only if one of them changes."
    }
    precondition {
      condition     = local.conditions.has_public_endpoint || local.conditions.has_private_api
      error_message = "public_endpoint false requires vpc_endpoint_ids, because no cluster could call the function."
    }
    precondition {
      condition     = local.conditions.has_public_endpoint || !local.conditions.has_domain
      error_message = "public_endpoint false requires an empty domain_name, which is an address of the public API."
    }
  }
}

resource "aws_apigatewayv2_integration" "webhook" {
  api_id                 = aws_apigatewayv2_api.webhook.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_alias.live.invoke_arn
  payload_format_version = "2.0"
  timeout_milliseconds   = 30000
}

resource "aws_apigatewayv2_route" "webhook" {
  for_each           = toset(["POST /{proxy+}", "GET /ping", "GET /healthz", "GET /readyz"])
  api_id             = aws_apigatewayv2_api.webhook.id
  route_key          = each.key
  authorization_type = "NONE"
  target             = "integrations/${aws_apigatewayv2_integration.webhook.id}"
}

resource "aws_apigatewayv2_stage" "webhook" {
  api_id      = aws_apigatewayv2_api.webhook.id
  name        = "$default"
  auto_deploy = true
  tags        = local.tags
  # Authentication is in the function, so this bounds the cost of unauthenticated requests.
  default_route_settings {
    throttling_rate_limit  = var.throttling_rate_limit
    throttling_burst_limit = var.throttling_burst_limit
  }
  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.api.arn
    # The route key instead of the path: a path can contain the token of a cluster.
    format = templatefile("${path.module}/access_log_format.json.tftpl", local.context)
  }
}

# API Gateway adds each log group to one resource policy of the account, which has a maximum size. One entry covers
# all groups below /aws/vendedlogs/.
resource "aws_cloudwatch_log_group" "api" {
  name              = "/aws/vendedlogs/podgraft/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = local.conditions.has_kms_key ? var.kms_key_arn : null
  tags              = local.tags
}

resource "aws_lambda_permission" "api" {
  function_name = aws_lambda_function.webhook.function_name
  qualifier     = aws_lambda_alias.live.name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.webhook.execution_arn}/*"
}

resource "aws_apigatewayv2_domain_name" "webhook" {
  count       = local.conditions.has_domain ? 1 : 0
  domain_name = var.domain_name
  tags        = local.tags
  domain_name_configuration {
    certificate_arn                        = var.certificate_arn
    endpoint_type                          = "REGIONAL"
    security_policy                        = "TLS_1_2"
    ownership_verification_certificate_arn = var.ownership_verification_certificate_arn == "" ? null : var.ownership_verification_certificate_arn
  }
  dynamic "mutual_tls_authentication" {
    for_each = local.conditions.has_truststore ? [true] : []
    content {
      truststore_uri     = var.truststore_uri
      truststore_version = var.truststore_version
    }
  }
  lifecycle {
    precondition {
      condition     = var.certificate_arn != ""
      error_message = "domain_name requires certificate_arn, an ACM certificate of this region."
    }
  }
}

resource "aws_apigatewayv2_api_mapping" "webhook" {
  count       = local.conditions.has_domain ? 1 : 0
  api_id      = aws_apigatewayv2_api.webhook.id
  domain_name = aws_apigatewayv2_domain_name.webhook[0].id
  stage       = aws_apigatewayv2_stage.webhook.id
}

resource "aws_route53_health_check" "webhook" {
  count = local.conditions.has_dns_record ? 1 : 0
  # Route 53 has no client certificate. The domain can lead to the other region, so HTTPS uses the name of the API.
  type                            = local.conditions.has_truststore ? "CLOUDWATCH_METRIC" : "HTTPS"
  cloudwatch_alarm_region         = local.conditions.has_truststore ? local.region : null
  cloudwatch_alarm_name           = local.conditions.has_truststore ? aws_cloudwatch_metric_alarm.webhook["SyntheticReviewAlarm"].alarm_name : null
  insufficient_data_health_status = local.conditions.has_truststore ? "LastKnownStatus" : null
  fqdn                            = local.conditions.has_truststore ? null : replace(aws_apigatewayv2_api.webhook.api_endpoint, "https://", "")
  port                            = local.conditions.has_truststore ? null : 443
  resource_path                   = local.conditions.has_truststore ? null : "/readyz"
  request_interval                = local.conditions.has_truststore ? null : 10
  failure_threshold               = local.conditions.has_truststore ? null : 3
  tags                            = merge(local.tags, { Name = "${var.name}-${local.region}" })
  lifecycle {
    precondition {
      condition     = var.domain_name != "" && var.hosted_zone_id != ""
      error_message = "dns_record requires domain_name and hosted_zone_id, the zone that contains it."
    }
  }
}

resource "aws_route53_record" "webhook" {
  count           = local.conditions.has_dns_record ? 1 : 0
  zone_id         = var.hosted_zone_id
  name            = var.domain_name
  type            = "A"
  set_identifier  = "${var.name}-${local.region}"
  health_check_id = aws_route53_health_check.webhook[0].id
  dynamic "latency_routing_policy" {
    for_each = local.conditions.is_latency ? [true] : []
    content {
      region = local.region
    }
  }
  dynamic "failover_routing_policy" {
    for_each = local.conditions.is_latency ? [] : [true]
    content {
      type = local.conditions.is_primary ? "PRIMARY" : "SECONDARY"
    }
  }
  alias {
    name                   = aws_apigatewayv2_domain_name.webhook[0].domain_name_configuration[0].target_domain_name
    zone_id                = aws_apigatewayv2_domain_name.webhook[0].domain_name_configuration[0].hosted_zone_id
    evaluate_target_health = false
  }
}
